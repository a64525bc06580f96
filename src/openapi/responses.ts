import * as z from "zod";
import type { Operation } from "./describe.ts";
import { exampleCursor, exampleMeta, exampleTag, type Form } from "./envelope.ts";
import { byStatus, failureResponse, failureUnion, unionName } from "./failures.ts";
import { named } from "./fold.ts";
import { headersOf } from "./headers.ts";
import type { Json } from "./json-schema.ts";

/** The responses of an operation, by status. */
export const responsesOf = (operation: Operation, success: Json): Record<string, Json> => ({
  ...Object.fromEntries(
    [...operation.responses].map(([status, headers]) => [
      status,
      status === 304
        ? named("responses", "Unchanged", {
            description: "The response would have one of the entity tags in `If-None-Match`.",
            headers: headersOf(status, headers),
          })
        : successResponse(operation, success, headersOf(status, headers)),
    ]),
  ),
  ...Object.fromEntries(
    byStatus(operation.errors).map(([status, codes]) => [
      status,
      failureResponse(status, codes, operation.description.errorExamples),
    ]),
  ),
});

/** The unions of errors that an operation returns with the same status, by component name. */
export const failureUnions = (operations: readonly Operation[]): Record<string, Json> =>
  Object.fromEntries(
    operations
      .flatMap(({ errors }) => byStatus(errors))
      .filter(([, codes]) => codes.length > 1)
      .map(([, codes]) => [unionName(codes), failureUnion(codes)]),
  );

/**
 * True if a success response is a page of a list: an array, but not a complete one, and not the
 * records that the request creates or names.
 */
export const isList = ({ responses, hasTags, isUnpaged, description }: Operation) =>
  responses.has(200) && !hasTags && !isUnpaged && description.data instanceof z.ZodArray;

/** The form of an operation's success response. */
export const formOf = (operation: Operation): Form => {
  if (operation.hasCursor) {
    return "cursor";
  }
  if (operation.hasPages) {
    return "pagedRecord";
  }
  if (operation.hasTags) {
    return "taggedRecords";
  }
  return isList(operation) ? "page" : "record";
};

function successResponse(operation: Operation, schema: Json, headers: Json): Json {
  const { responseComponent } = operation.description;
  const response = unnamedResponse(operation, schema, headers);
  return responseComponent === undefined
    ? response
    : named("responses", responseComponent, response);
}

function unnamedResponse(operation: Operation, schema: Json, headers: Json): Json {
  const { response, example } = operation.description;
  if (operation.bareType) {
    const content = { [operation.bareType]: { schema, example: example.data } };
    return { description: response, headers, content };
  }
  const pagination = { total_count: 1, limit: 50, offset: 0, has_more: false, next_cursor: null };
  const ofForm = {
    record: {},
    page: { pagination },
    pagedRecord: { pagination },
    cursor: { next_cursor: exampleCursor, has_more: false },
    taggedRecords: { etags: [exampleTag] },
  };
  const meta = { ...exampleMeta, ...ofForm[formOf(operation)] };
  const { otherForms } = operation;
  return {
    // These formats are not declared as media types, because the data in every generated client
    // would then be a union of JSON and text.
    description: otherForms
      ? `${response} Also available as ${otherForms.join(" or ")}, with the header Accept.`
      : response,
    headers,
    content: {
      "application/json": { schema, example: { success: true, data: example.data, meta } },
    },
  };
}

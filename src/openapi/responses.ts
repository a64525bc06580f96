import * as z from "zod";
import type { ErrorCode } from "../errors/errors.ts";
import type { Operation } from "./describe.ts";
import { exampleCursor, exampleMeta, type Form, pascalCase } from "./envelope.ts";
import { byStatus, failureResponse, failureUnion } from "./failures.ts";
import { headersOf } from "./headers.ts";
import type { Json } from "./json-schema.ts";

/** Names of statuses, for components. */
const statusNames: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  406: "NotAcceptable",
  408: "RequestTimeout",
  409: "Conflict",
  410: "Gone",
  412: "PreconditionFailed",
  413: "ContentTooLarge",
  415: "UnsupportedMediaType",
  422: "UnprocessableContent",
  429: "TooManyRequests",
  500: "InternalServerError",
  503: "ServiceUnavailable",
};

/** Failures that most operations share. Each is a component under the name of its status. */
const sharedFailures: readonly (readonly ErrorCode[])[] = [
  ["auth_not_authenticated", "auth_key_expired", "auth_key_disabled"],
  ["request_not_acceptable"],
  ["request_conflict"],
  ["request_timeout"],
  ["request_too_large"],
  ["request_unsupported_media_type"],
  ["rate_limit_exceeded"],
  ["internal_error"],
  ["service_unavailable"],
];
const keyOf = (codes: readonly ErrorCode[]) => codes.join();
const shared = new Set(sharedFailures.map(keyOf));

/** Collects the responses of operations, and the components that they share. */
export class Responses {
  /** Components of responses, by name. */
  readonly components: Record<string, Json> = {};
  /** Components of schemas: unions of errors, by name. */
  readonly unions: Record<string, Json> = {};

  /** The responses of an operation, by status. */
  of(operation: Operation, success: Json): Record<string, Json> {
    return {
      ...Object.fromEntries(
        [...operation.responses].map(([status, headers]) => [
          status,
          status === 304
            ? { description: "The record is unchanged.", headers: headersOf(status, headers) }
            : successResponse(operation, success, headersOf(status, headers)),
        ]),
      ),
      ...Object.fromEntries(
        byStatus(operation.errors).map(([status, codes]) => [
          status,
          this.#failure(operation, status, codes),
        ]),
      ),
    };
  }

  #failure({ description }: Operation, status: number, codes: readonly ErrorCode[]): Json {
    const statusName = statusNames[status];
    if (statusName === undefined) {
      throw new Error(`The status ${status} needs a name.`);
    }
    const examples = description.errorExamples ?? {};
    const isShared = shared.has(keyOf(codes)) && !codes.some((code) => examples[code]);
    const union = isShared
      ? `${statusName}Error`
      : `${pascalCase(description.operationId)}${statusName}`;
    if (codes.length > 1) {
      this.unions[union] = failureUnion(codes);
    }
    const response = failureResponse(status, codes, union, examples);
    if (!isShared) {
      return response;
    }
    this.components[statusName] = response;
    return { $ref: `#/components/responses/${statusName}` };
  }
}

/** Whether a success is a page of a list: an array that is not the response to a create. */
export const isList = ({ responses, description }: Operation) =>
  responses.has(200) && description.data instanceof z.ZodArray;

/** The form of what an operation responds with. */
export const formOf = (operation: Operation): Form => {
  if (operation.hasCursor) {
    return "cursor";
  }
  if (operation.hasPages) {
    return "pagedRecord";
  }
  return isList(operation) ? "page" : "record";
};

function successResponse(operation: Operation, schema: Json, headers: Json): Json {
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
  };
  const meta = { ...exampleMeta, ...ofForm[formOf(operation)] };
  const { otherForms } = operation;
  return {
    // As media types, they would turn the data of every generated client into either JSON or a text.
    description: otherForms
      ? `${response} Also as ${otherForms.join(" or ")}, by the header Accept.`
      : response,
    headers,
    content: {
      "application/json": { schema, example: { success: true, data: example.data, meta } },
    },
  };
}

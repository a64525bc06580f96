import * as z from "zod";
import { paths } from "../../helpers/document.ts";

/** A request built only from the examples in the OpenAPI document. */
export interface ExampleRequest {
  operationId: string;
  summary: string;
  method: string;
  /** The path as in the OpenAPI document, and the path with its parameters filled in. */
  template: string;
  path: string;
  /** All query parameters that have an example, as the reference sends them when all are ticked. */
  query: string;
  body: string | null;
  /** True if the operation needs an operator key. */
  isOfOperators: boolean;
}

const operationSchema = z.object({
  operationId: z.string(),
  summary: z.string(),
  security: z.array(z.record(z.string(), z.unknown())),
  parameters: z.array(
    z.object({
      name: z.string(),
      in: z.string(),
      examples: z
        .object({
          default: z.object({
            value: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
          }),
        })
        .optional(),
    }),
  ),
  requestBody: z
    .object({ content: z.object({ "application/json": z.object({ example: z.unknown() }) }) })
    .optional(),
});
const described = z.record(z.string(), z.record(z.string(), operationSchema)).parse(paths);

/** Reads come first, then writes, then deletions, since the examples share the demo's records. */
const rankOf = ({ method, path }: ExampleRequest): number => {
  const isBulkDeletion = path.endsWith("/bulk-delete");
  return method === "GET" ? 0 : method === "DELETE" ? 2 : isBulkDeletion ? 3 : 1;
};

/**
 * Sorts requests so that all of them can be sent. Individual deletions go from the document's last
 * group to its first, so that children are deleted before their parents. Bulk deletions come last,
 * since they skip deleted records.
 */
function inOrder(requests: readonly ExampleRequest[]): ExampleRequest[] {
  const singleDeletions = requests.filter((request) => rankOf(request) === 2).reverse();
  return [
    ...requests.filter((request) => rankOf(request) < 2).sort((a, b) => rankOf(a) - rankOf(b)),
    ...singleDeletions,
    ...requests.filter((request) => rankOf(request) === 3),
  ];
}

/**
 * Returns the request for every operation as the reference prefills it, in an order in which all
 * requests can be sent.
 */
export function exampleRequests(): ExampleRequest[] {
  const requests = Object.entries(described).flatMap(([template, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const { operationId, summary, security, parameters, requestBody } = operation;
      let path = template;
      const query = new URLSearchParams();
      for (const { name, in: location, examples } of parameters) {
        // The demo data has no external ids and roles, so these filters would select nothing.
        if (examples && (!["external_id", "role"].includes(name) || location === "path")) {
          const values = [examples.default.value].flat().map(String);
          path = path.replace(`{${name}}`, values.join());
          if (location === "query") {
            for (const value of values) {
              query.append(name, value);
            }
          }
        }
      }
      const body = requestBody && JSON.stringify(requestBody.content["application/json"].example);
      return {
        operationId,
        summary,
        template,
        method: method.toUpperCase(),
        path,
        query: query.toString(),
        body: body ?? null,
        isOfOperators: security.some((scheme) => "operatorKey" in scheme),
      };
    }),
  );
  return inOrder(requests);
}

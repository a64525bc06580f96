import * as z from "zod";
import { paths } from "../helpers/document.ts";
import { bodyOf, collectionOf, operations, pathWith } from "../helpers/operations.ts";
import { notFound, type Place } from "../helpers/place.ts";

const documentPaths = z.record(z.string(), z.unknown()).parse(paths);

const exampleRecord = z
  .object({
    get: z.object({
      responses: z.object({
        200: z.object({
          content: z.object({
            "application/json": z.object({
              example: z.object({ data: z.record(z.string(), z.unknown()) }),
            }),
          }),
        }),
      }),
    }),
  })
  .transform(({ get }) => get.responses[200].content["application/json"].example.data);

/**
 * True if the records of a collection belong to a network, according to the OpenAPI document's
 * example.
 */
function isInNetwork(collection: string): boolean {
  const { data } = exampleRecord.safeParse(documentPaths[`/api/v1/${collection}/{id}`]);
  if (!data) {
    throw new Error(`The document has no example record of ${collection}: describe its read.`);
  }
  // Whether a key can access a webhook depends on the networks that the webhook is limited to.
  return "network_id" in data || collection === "webhooks";
}

/** The paths of all operations on one record. */
const placesOfPaths: Place[] = operations
  .filter(({ path }) => path.includes("/:id"))
  .map((operation) => ({
    name: `the path of ${operation.name}`,
    request: (_, sent, organization) => {
      const id = Object.entries(sent).find(([name]) => name === collectionOf(operation))?.[1];
      return {
        method: operation.method,
        path: pathWith(operation, id ?? "")
          .replace(":other_id", organization.other_host_id)
          .replace(":delivery_id", organization.delivery_id),
        json: bodyOf(operation, organization),
      };
    },
    expected: notFound,
    isInNetwork: isInNetwork(collectionOf(operation)),
  }));

/** The ids in the bodies of all bulk patches. */
const placesOfPatches: Place[] = operations
  .filter(({ method, path }) => method === "PATCH" && path.endsWith("/bulk"))
  .map((operation) => {
    const collection = collectionOf(operation).replace("/bulk", "");
    return {
      name: `an id in the body of ${operation.name}`,
      request: (_, sent, organization) => {
        const id = Object.entries(sent).find(([name]) => name === collection)?.[1];
        const [patch] = z.array(z.looseObject({})).parse(bodyOf(operation, organization));
        return { method: "PATCH", path: operation.path, json: [{ ...patch, id }] };
      },
      expected: notFound,
      isInNetwork: isInNetwork(collection),
    };
  });

const files = import.meta.glob<Place[]>("../**/places.ts", { eager: true, import: "places" });

/** Every place where a request can contain an id: the paths and the places that resources list. */
export const places: readonly Place[] = [
  ...placesOfPaths,
  ...placesOfPatches,
  ...Object.values(files).flat(),
];

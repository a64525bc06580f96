import * as z from "zod";
import { paths } from "../helpers/document.ts";
import { bodyOf, collectionOf, operations, pathWith } from "../helpers/operations.ts";
import { notFound, type Place } from "../helpers/place.ts";

const described = z.record(z.string(), z.unknown()).parse(paths);

const shownRecord = z
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

/** Whether the records of a collection lie in a network: the one that the document shows says in which. */
function isInNetwork(collection: string): boolean {
  const { data } = shownRecord.safeParse(described[`/api/v1/${collection}/{id}`]);
  if (!data) {
    throw new Error(`The document shows no record of ${collection}: describe its read.`);
  }
  // A webhook is seen with the networks that it is limited to.
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

const files = import.meta.glob<Place[]>("../**/places.ts", { eager: true, import: "places" });

/** Every place in which a caller can send an id: those of paths, and what resources add to them. */
export const places: readonly Place[] = [...placesOfPaths, ...Object.values(files).flat()];

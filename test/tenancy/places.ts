import { bodyOf, collectionOf, operations, pathWith } from "../helpers/operations.ts";
import { notFound, type Place } from "../helpers/place.ts";

/** Collections whose records lie in a network, by their names in paths. */
const inNetworks = [
  "daemons",
  "discovery/sessions",
  "hosts",
  "ip-addresses",
  "ports",
  "services",
  "subnets",
  "bindings",
];

/** The paths of all operations on one record. */
const paths: Place[] = operations
  .filter(({ path }) => path.includes("/:id"))
  .map((operation) => ({
    name: `the path of ${operation.name}`,
    request: (_, sent, organization) => {
      const id = Object.entries(sent).find(([name]) => name === collectionOf(operation))?.[1];
      return {
        method: operation.method,
        path: pathWith(operation, id ?? "").replace(":other_id", organization.other_host_id),
        json: bodyOf(operation, organization),
      };
    },
    expected: notFound,
    isInNetwork: inNetworks.includes(collectionOf(operation)),
  }));

const files = import.meta.glob<Place[]>("../*/places.ts", { eager: true, import: "places" });

/** Every place in which a caller can send an id: those of paths, and what resources add to them. */
export const places: readonly Place[] = [...paths, ...Object.values(files).flat()];

import { emptyList, invalidReference, type Place } from "../helpers/place.ts";

const filters = [
  { name: "ids", collection: "networks", isInNetwork: true },
  { name: "q", collection: "networks", isInNetwork: true },
  { name: "tag_ids", collection: "tags", isInNetwork: false },
] as const;

const listed: Place[] = filters.flatMap(({ name, collection, isInNetwork }) =>
  ["", "&limit=0"].map((rest) => ({
    name: `the filter ${name} of networks with the query "${rest}"`,
    request: (_, sent) => ({
      method: "GET",
      path: `/api/v1/networks?${name}=${sent[collection]}${rest}`,
    }),
    expected: emptyList,
    isInNetwork,
  })),
);

const sets = [
  { field: "tags", collection: "tags", entity: "Tag" },
  { field: "credential_ids", collection: "credentials", entity: "Credential" },
] as const;

const members: Place[] = sets.flatMap(({ field, collection, entity }): Place[] => [
  {
    name: `${field} of a new network`,
    request: (_, sent) => ({
      method: "POST",
      path: "/api/v1/networks",
      json: { name: "New", [field]: [sent[collection]] },
    }),
    expected: invalidReference(entity, `body.${field}`),
  },
  {
    name: `${field} of one of many new networks`,
    request: (_, sent) => ({
      method: "POST",
      path: "/api/v1/networks/bulk",
      json: [{ name: "New" }, { name: "New", [field]: [sent[collection]] }],
    }),
    expected: invalidReference(entity, `body[1].${field}`),
  },
  {
    name: `${field} of a network`,
    request: (own, sent) => ({
      method: "PUT",
      path: `/api/v1/networks/${own.networks}`,
      json: { name: "After", [field]: [sent[collection]] },
    }),
    expected: invalidReference(entity, `body.${field}`),
  },
]);

/** Every place, other than the path, where a request for networks can contain an id. */
export const places: Place[] = [...listed, ...members];

import { emptyList, invalidReference, type Place } from "../helpers/place.ts";

const listed: Place[] = ["ids", "q"].flatMap((filter) =>
  ["", "&limit=0"].map((rest) => ({
    name: `the filter ${filter} of tags with the query "${rest}"`,
    request: (_, sent) => ({ method: "GET", path: `/api/v1/tags?${filter}=${sent.tags}${rest}` }),
    expected: emptyList,
  })),
);

const kinds = [
  { entity_type: "Network", collection: "networks" },
  { entity_type: "Daemon", collection: "daemons" },
  { entity_type: "Credential", collection: "credentials" },
  { entity_type: "Host", collection: "hosts" },
  { entity_type: "Service", collection: "services" },
  { entity_type: "Subnet", collection: "subnets" },
] as const;

const bulk = ["bulk-add", "bulk-remove"];

const assigned: Place[] = kinds.flatMap(({ entity_type, collection }): Place[] => {
  // A credential does not belong to a network: every key can read it, and a limited key gets 403.
  const isInNetwork = entity_type !== "Credential";
  return [
    {
      name: `a ${entity_type} whose tags are assigned`,
      request: (own, sent) => ({
        method: "PUT",
        path: "/api/v1/tags/assign",
        json: { entity_type, entity_id: sent[collection], tag_ids: [own.tags] },
      }),
      expected: invalidReference(entity_type, "body.entity_id"),
      isInNetwork,
    },
    {
      name: `a tag that is assigned to a ${entity_type}`,
      request: (own, sent) => ({
        method: "PUT",
        path: "/api/v1/tags/assign",
        json: { entity_type, entity_id: own[collection], tag_ids: [sent.tags] },
      }),
      expected: invalidReference("Tag", "body.tag_ids"),
    },
    ...bulk.flatMap((verb): Place[] => [
      {
        name: `a ${entity_type} of a ${verb}`,
        request: (own, sent) => ({
          method: "POST",
          path: `/api/v1/tags/assign/${verb}`,
          json: { entity_type, entity_ids: [sent[collection]], tag_id: own.tags },
        }),
        expected: invalidReference(entity_type, "body.entity_ids"),
        isInNetwork,
      },
      {
        name: `the tag of a ${verb} to a ${entity_type}`,
        request: (own, sent) => ({
          method: "POST",
          path: `/api/v1/tags/assign/${verb}`,
          json: { entity_type, entity_ids: [own[collection]], tag_id: sent.tags },
        }),
        expected: invalidReference("Tag", "body.tag_id"),
      },
    ]),
  ];
});

const deleted: Place = {
  name: "one of many tags that are deleted",
  request: (_, sent) => ({
    method: "POST",
    path: "/api/v1/tags/bulk-delete",
    json: [sent.tags],
  }),
  expected: { status: 200, body: { data: { requested_count: 1, deleted_count: 0 } } },
};

/** Every place, other than the path, where a request for tags can contain an id. */
export const places: Place[] = [...listed, ...assigned, deleted];

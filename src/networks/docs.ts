import { describeGroup } from "../openapi/describe.ts";
import { describeVerbs, externalIdFilter, nameFilter } from "../openapi/verbs.ts";
import { type Network, networkResource, networkSchema } from "./model.ts";

const tag = describeGroup({
  name: "Networks",
  description: "Networks that daemons scan, and to which API keys can be limited.",
});

const example: Network = {
  id: "0bff26ce-1c14-493f-8128-2e2fc172fe18",
  created_at: "2025-03-01T09:00:00.000Z",
  updated_at: "2026-04-22T15:57:37.843Z",
  organization_id: "e4b66c48-02de-4481-8c6f-f8b16360c781",
  name: "Boathouse",
  description: "Empty until its daemon is started",
  stale_after_hours: null,
  external_id: null,
  metadata: {},
  tags: ["aed75b45-9130-4bef-8d61-1c2d0a47133c"],
  credential_ids: [],
};

describeVerbs(networkResource, {
  tag,
  singular: "network",
  plural: "networks",
  schema: networkSchema,
  example,
  body: { name: "Guest", description: "Visitors' phones", tags: example.tags },
  bodies: {
    createMany: { name: "Cameras" },
    upsert: { name: "Sensors" },
    update: {
      name: example.name,
      description: "Down by the river",
      stale_after_hours: 168,
      tags: example.tags,
      credential_ids: ["b37a84e0-73da-4b13-874f-c9046ee9c8a9"],
    },
  },
  rules:
    "`credential_ids` is the other side of a credential's `assigned_network_ids`: writing either changes both. The key must have access to every network of the organization.",
  operationIds: { list: "get_all_networks" },
  deletion:
    "A network with hosts or daemons is not deleted (409 `entity_in_use`). When a single network is deleted, `cascade=true` also deletes its hosts and daemons, and cancels running scans. For a network with more than 20,000 hosts, addresses, ports, interfaces, neighbors, services and bindings in total, the response is 409 `deletion_too_large`: delete hosts in batches first. History is kept.",
  filters: {
    ...nameFilter(example),
    ...externalIdFilter,
    ids: { description: "Only networks with these ids, up to 350.", example: example.id },
    tag_ids: {
      description: "Only networks with one of these tags.",
      example: "aed75b45-9130-4bef-8d61-1c2d0a47133c",
    },
    q: {
      description: "Only networks with this id, or with this text in their names or descriptions.",
      example: "boat",
    },
    cascade: {
      description: "`true` deletes the hosts and the daemons on the network too.",
      example: true,
    },
  },
});

import type { Samples } from "../helpers/operations.ts";

const tag = () => ({ name: `After ${crypto.randomUUID()}`, description: "Changed", color: "Teal" });

export const samples: Samples = {
  "POST /api/v1/tags": tag,
  "POST /api/v1/tags/bulk": () => [tag(), tag()],
  "POST /api/v1/tags/bulk-delete": ({ records }) => [records.tags],
  "PUT /api/v1/tags/:id": tag,
  "PUT /api/v1/tags/assign": ({ records, tags }) => ({
    entity_type: "Daemon",
    entity_id: records.daemons,
    tag_ids: tags,
  }),
  "POST /api/v1/tags/assign/bulk-add": ({ records, tags: [, tag_id] }) => ({
    entity_type: "Daemon",
    entity_ids: [records.daemons],
    tag_id,
  }),
  "POST /api/v1/tags/assign/bulk-remove": ({ records }) => ({
    entity_type: "Daemon",
    entity_ids: [records.daemons],
    tag_id: records.tags,
  }),
};

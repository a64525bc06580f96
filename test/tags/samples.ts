import type { Samples } from "../helpers/operations.ts";

export const samples: Samples = {
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

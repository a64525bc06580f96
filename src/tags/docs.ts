import * as z from "zod";
import { describeGroup, describeOperation } from "../openapi/describe.ts";
import { describeVerbs, externalIdFilter, nameFilter } from "../openapi/verbs.ts";
import { addTagToRecords, assignTags, removeTagFromRecords } from "./assign.ts";
import { type Tag, tagResource, tagSchema } from "./model.ts";
import { entityTypes } from "./taggable.ts";

const tag = describeGroup({
  name: "Tags",
  description: "An organization's labels, and their assignment to records.",
});

const example: Tag = {
  id: "aed75b45-9130-4bef-8d61-1c2d0a47133c",
  created_at: "2025-03-01T09:00:00.000Z",
  updated_at: "2025-03-01T09:00:00.000Z",
  organization_id: "e4b66c48-02de-4481-8c6f-f8b16360c781",
  name: "infrastructure",
  description: "Required by everything else",
  color: "Blue",
  external_id: null,
  metadata: {},
};

describeVerbs(tagResource, {
  tag,
  singular: "tag",
  plural: "tags",
  schema: tagSchema,
  example,
  body: { name: "printers", color: "Teal" },
  bodies: {
    createMany: { name: "cameras", color: "Red" },
    upsert: { name: "sensors", color: "Green" },
    update: { name: example.name, description: "Switches, storage, name servers", color: "Blue" },
  },
  rules:
    "Names are unique in an organization, regardless of case. The key must have access to every network of the organization.",
  deletion: "It is removed from all records.",
  operationIds: { list: "get_all_tags" },
  filters: {
    ...nameFilter(example),
    ...externalIdFilter,
    ids: { description: "Only tags with these ids, up to 350.", example: example.id },
    q: {
      description: "Only tags with this id, or with this text in their names or descriptions.",
      example: "infra",
    },
  },
});

const network = "277af32d-eb94-4677-88b1-472a3ec07051";

const assignedSchema = z
  .object({
    entity_type: z.enum(entityTypes),
    entity_id: z.guid(),
    tag_ids: z.array(z.guid()).max(1000),
  })
  .meta({ id: "AssignedTags", description: "A record and its current tags." });

describeOperation(assignTags, {
  operationId: "set_entity_tags",
  tag,
  summary: "Replace the tags of a record",
  description:
    "Replaces the set of tags of one record. The record must be visible to the key. A record that does not belong to a network requires a key that can access every network.",
  data: assignedSchema,
  response: "The record and its tags.",
  example: {
    body: { entity_type: "Network", entity_id: network, tag_ids: [example.id] },
    data: { entity_type: "Network", entity_id: network, tag_ids: [example.id] },
  },
});

const affectedSchema = z
  .object({ affected_count: z.int() })
  .meta({ id: "AffectedRecords", description: "The number of changed records." });

describeOperation(addTagToRecords, {
  operationId: "bulk_add_tag",
  tag,
  summary: "Add a tag to many records",
  description: "Adds one tag to up to 1,000 records of one type, atomically.",
  data: affectedSchema,
  response: "The number of records that did not have the tag before.",
  example: {
    body: { entity_type: "Network", entity_ids: [network], tag_id: example.id },
    data: { affected_count: 1 },
  },
});

describeOperation(removeTagFromRecords, {
  operationId: "bulk_remove_tag",
  tag,
  summary: "Remove a tag from many records",
  description: "Removes one tag from up to 1,000 records of one type, atomically.",
  data: affectedSchema,
  response: "The number of records that had the tag before.",
  example: {
    body: { entity_type: "Network", entity_ids: [network], tag_id: example.id },
    data: { affected_count: 1 },
  },
});

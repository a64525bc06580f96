import { sql } from "drizzle-orm";
import * as z from "zod";
import { columnsOf, type RowOf } from "../database/columns-of.ts";
import { tagColors, tags } from "../database/tables/index.ts";
import { id } from "../http/input/id.ts";
import { ownDataFields } from "../http/input/own-data.ts";
import { name } from "../http/input/text.ts";
import { recordFields } from "../http/verbs/record.ts";

/** A tag (API contract, section 8). */
export const tagSchema = z
  .object({
    ...recordFields,
    organization_id: id,
    name,
    description: z.string().max(500).nullable(),
    color: z.enum(tagColors),
    ...ownDataFields,
  })
  .meta({ id: "Tag", description: "A label for records of an organization." });
export type Tag = z.output<typeof tagSchema>;

const columns = columnsOf(tags, tagSchema);

export const tagResource = {
  entity: "Tag" as const,
  schema: tagSchema,
  path: "/api/v1/tags",
  table: tags,
  columns,
  orderFields: {
    created_at: tags.created_at,
    updated_at: tags.updated_at,
    name: tags.name,
    color: sql`${tags.color} collate "C"`,
  },
  toItem: (row: RowOf<typeof columns>): Tag => row,
};

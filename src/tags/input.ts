import * as z from "zod";
import { tagColors } from "../database/tables/index.ts";
import { ownDataInput } from "../http/input/own-data.ts";
import { meaningless, tenantRecordInput } from "../http/input/record.ts";
import { name, optionalText } from "../http/input/text.ts";

/** The request body for a tag (API contract, section 8). */
export const tagInput = z
  .strictObject({
    ...tenantRecordInput,
    is_application: meaningless,
    name,
    description: optionalText(500),
    color: z.enum(tagColors).default("Gray"),
    ...ownDataInput,
  })
  .meta({ id: "TagInput", description: "A tag. Unknown fields are errors." });
export type TagInput = z.output<typeof tagInput>;

import * as z from "zod";
import { integer } from "../http/input/integer.ts";
import { ignored, meaningless, tenantRecordInput } from "../http/input/record.ts";
import { idSet } from "../http/input/set.ts";
import { name } from "../http/input/text.ts";
import { timestamp } from "../http/input/timestamp.ts";
import { roles } from "../roles.ts";

/** The request body for an API key (API contract, section 8). */
export const apiKeyInput = z
  .strictObject({
    ...tenantRecordInput,
    last_used_at: ignored,
    last_used: meaningless,
    user_id: meaningless,
    tags: meaningless,
    key: meaningless,
    key_hint: ignored,
    name,
    permissions: z.enum(roles),
    network_ids: idSet
      .nullable()
      .default(null)
      .meta({ description: "The networks to which it is limited; null for every network." }),
    expires_at: timestamp.nullable().default(null),
    is_enabled: z.boolean().default(true),
  })
  .meta({ id: "ApiKeyInput", description: "An API key. Unknown fields are errors." });
export type ApiKeyInput = z.output<typeof apiKeyInput>;

/** A week, in seconds. */
const maximumOverlap = 604_800;

/** Options for rotating a key. */
export const rotationInput = z
  .strictObject({
    overlap_seconds: integer(0, maximumOverlap)
      .default(0)
      .meta({ description: "The number of seconds for which the old key still works." }),
  })
  .meta({ id: "Rotation", description: "Options for rotating a key." });

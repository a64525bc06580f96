import * as z from "zod";
import { meaningless, tenantRecordInput } from "../http/input/record.ts";
import { idSet } from "../http/input/set.ts";
import { name, optionalText } from "../http/input/text.ts";

/** A whole network, as callers send it (API contract, section 8). */
export const networkInput = z
  .strictObject({
    ...tenantRecordInput,
    stale_after_hours: meaningless,
    effective_stale_after_hours: meaningless,
    name,
    description: optionalText(500),
    tags: idSet.default([]),
    credential_ids: idSet.default([]),
  })
  .meta({ id: "NetworkInput", description: "A network. Unknown fields are errors." });
export type NetworkInput = z.output<typeof networkInput>;

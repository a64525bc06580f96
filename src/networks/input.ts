import * as z from "zod";
import { integer } from "../http/input/integer.ts";
import { ownDataInput } from "../http/input/own-data.ts";
import { meaningless, tenantRecordInput } from "../http/input/record.ts";
import { idSet } from "../http/input/set.ts";
import { name, optionalText } from "../http/input/text.ts";
import { maximumStaleHours } from "./model.ts";

/** The request body for a network (API contract, section 8). */
export const networkInput = z
  .strictObject({
    ...tenantRecordInput,
    effective_stale_after_hours: meaningless,
    name,
    description: optionalText(500),
    stale_after_hours: integer(1, maximumStaleHours).nullable().default(null).meta({
      description:
        "The number of hours without a sighting after which its hosts are stale; null for never.",
    }),
    ...ownDataInput,
    tags: idSet.default([]),
    credential_ids: idSet.default([]),
  })
  .meta({ id: "NetworkInput", description: "A network. Unknown fields are errors." });
export type NetworkInput = z.output<typeof networkInput>;

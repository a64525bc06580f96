import * as z from "zod";
import { recordSources } from "../../database/tables/index.ts";
import { id } from "../input/id.ts";
import { timestamp } from "../input/timestamp.ts";

/** What every record with history carries beside {@link recordFields} (API contract, section 9). */
export const historyFields = {
  organization_id: id,
  network_id: id,
  last_seen_at: timestamp.meta({ description: "When it was last seen, by a scan or by a person." }),
  valid_from: timestamp.meta({ description: "Since when this version holds." }),
  valid_to: timestamp
    .nullable()
    .meta({ description: "Until when this version held; null for the live version." }),
  lineage_id: id
    .nullable()
    .meta({ description: "The id of the live version; null for the live version itself." }),
  first_discovery_id: id.nullable(),
  last_discovery_id: id.nullable(),
};

/** What every record carries. */
export const recordFields = { id, created_at: timestamp, updated_at: timestamp };

/** How a record came to be (API contract, section 9). */
export const sourceSchema = z
  .object({ type: z.enum(recordSources) })
  .meta({ id: "Source", description: "How the record came to be. Ignored in requests." });

/** The source of a record as callers see it. */
export const toSource = (type: (typeof recordSources)[number]) => ({ type });

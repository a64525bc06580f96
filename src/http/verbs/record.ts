import * as z from "zod";
import type { recordSources } from "../../database/tables/index.ts";
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

const plainSource = <const Type extends string>(type: Type, description: string) =>
  z.object({ type: z.literal(type) }).meta({ id: `${type}Source`, description });

/** How a record came to be (API contract, section 9). */
export const sourceSchema = z
  .discriminatedUnion("type", [
    z
      .object({
        type: z.literal("Discovery"),
        // Clients of the reference require it of what discovery made.
        metadata: z
          .array(z.object({}).meta({ id: "SourceMetadata", description: "There is none." }))
          .max(0),
      })
      .meta({ id: "DiscoverySource", description: "Discovery made the record." }),
    plainSource("Manual", "A request made the record."),
    plainSource("System", "The operator made the record."),
    plainSource("Import", "An import made the record."),
  ])
  .meta({ id: "Source", description: "How the record came to be. Ignored in requests." });
type Source = z.output<typeof sourceSchema>;

/** The source of a record as callers see it. */
export const toSource = (type: (typeof recordSources)[number]): Source =>
  type === "Discovery" ? { type, metadata: [] } : { type };

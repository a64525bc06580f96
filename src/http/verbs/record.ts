import * as z from "zod";
import type { recordSources } from "../../database/tables/index.ts";
import { id } from "../input/id.ts";
import { timestamp } from "../input/timestamp.ts";

/**
 * The fields of every record with history, in addition to {@link recordFields} (API contract,
 * section 9).
 */
export const historyFields = {
  organization_id: id,
  network_id: id,
  last_seen_at: timestamp.meta({
    description: "The time at which a scan last saw the record, or a person entered it.",
  }),
  valid_from: timestamp.meta({ description: "The start of this version's validity." }),
  valid_to: timestamp
    .nullable()
    .meta({ description: "The end of this version's validity; null for the live version." }),
  lineage_id: id
    .nullable()
    .meta({ description: "The id of the live version; null for the live version itself." }),
  first_discovery_id: id.nullable(),
  last_discovery_id: id.nullable(),
};

/** The fields of every record. */
export const recordFields = { id, created_at: timestamp, updated_at: timestamp };

const plainSource = <const Type extends string>(type: Type, description: string) =>
  z.object({ type: z.literal(type) }).meta({ id: `${type}Source`, description });

/** The source of a record (API contract, section 9). */
export const sourceSchema = z
  .discriminatedUnion("type", [
    z
      .object({
        type: z.literal("Discovery"),
        // Clients of the reference implementation require this field for discovered records.
        metadata: z
          .array(z.object({}).meta({ id: "SourceMetadata", description: "Always absent." }))
          .max(0),
      })
      .meta({ id: "DiscoverySource", description: "Discovery created the record." }),
    plainSource("Manual", "A request created the record."),
    plainSource("System", "The operator created the record."),
    plainSource("Import", "An import created the record."),
  ])
  .meta({ id: "Source", description: "The source of the record. Ignored in requests." });
type Source = z.output<typeof sourceSchema>;

/** The source of a record in responses. */
export const toSource = (type: (typeof recordSources)[number]): Source =>
  type === "Discovery" ? { type, metadata: [] } : { type };

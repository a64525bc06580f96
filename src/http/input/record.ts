import * as z from "zod";
import { ownId } from "./id.ts";

/**
 * Read-only fields are accepted and ignored, so that a client can send back a record as it was
 * read.
 */
export const ignored = z
  .unknown()
  .optional()
  // The value is discarded at once, to free its memory while waiting for the database.
  .transform(() => undefined)
  .meta({ description: "Ignored: read-only.", input: {} });

/**
 * A field that other servers with this interface support, but that is ignored here (API contract,
 * section 7).
 */
export const meaningless = ignored.meta({
  description: "Ignored: only other servers support it.",
  input: {},
});

/** A timestamp that is {@link ignored}. */
export const ignoredTimestamp = ignored.meta({
  description: "Ignored: read-only.",
  input: { type: ["string", "null"], format: "date-time", maxLength: 64 },
});

/** An id that is {@link ignored}. */
export const ignoredId = ignored.meta({
  description: "Ignored: read-only.",
  input: { type: ["string", "null"], format: "uuid", maxLength: 36 },
});

/**
 * The common fields of every record's body (API contract, section 7). A caller that creates a
 * record may choose its id; in a replacement, the id must equal the one in the path.
 */
export const recordInput = {
  id: ownId,
  created_at: ignoredTimestamp,
  updated_at: ignoredTimestamp,
};

/** {@link recordInput} for a record whose organization is always the caller's. */
export const tenantRecordInput = {
  ...recordInput,
  organization_id: ignoredId,
};

/** {@link tenantRecordInput} for a record with history. */
export const historicalRecordInput = {
  ...tenantRecordInput,
  last_seen_at: ignoredTimestamp,
  valid_from: ignoredTimestamp,
  valid_to: ignoredTimestamp,
  lineage_id: ignored,
  first_discovery_id: ignored,
  last_discovery_id: ignored,
};

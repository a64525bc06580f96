import * as z from "zod";
import { ownId } from "./id.ts";

/** Read-only fields are accepted and ignored, so that a client can send back what it read. */
export const ignored = z
  .unknown()
  .optional()
  // Dropped at once: what is not used need not be held while the database answers.
  .transform(() => undefined)
  .meta({ description: "Ignored, so that a record can be sent back as it was read.", input: {} });

/** A field that other servers of this interface know, and that means nothing here (API contract, section 7). */
export const meaningless = ignored.meta({
  description: "Ignored: it means nothing here. Clients of other servers send it.",
  input: {},
});

const ignoredTimestamp = ignored.meta({
  description: "Ignored, so that a record can be sent back as it was read.",
  input: { type: ["string", "null"], format: "date-time", maxLength: 64 },
});

/** An id that is {@link ignored}. */
export const ignoredId = ignored.meta({
  description: "Ignored, so that a record can be sent back as it was read.",
  input: { type: ["string", "null"], format: "uuid", maxLength: 36 },
});

/**
 * What the body of every record may hold beside its own fields (API contract, section 7). The id is
 * the caller's choice in a create, and that of the path in a replacement.
 */
export const recordInput = {
  id: ownId,
  created_at: ignoredTimestamp,
  updated_at: ignoredTimestamp,
};

/** {@link recordInput} of a record whose organization is always the caller's. */
export const tenantRecordInput = {
  ...recordInput,
  organization_id: ignoredId,
};

/** {@link tenantRecordInput} of a record with history. */
export const historicalRecordInput = {
  ...tenantRecordInput,
  last_seen_at: ignoredTimestamp,
  valid_from: ignoredTimestamp,
  valid_to: ignoredTimestamp,
  lineage_id: ignored,
  first_discovery_id: ignored,
  last_discovery_id: ignored,
};

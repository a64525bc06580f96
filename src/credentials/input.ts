import * as z from "zod";
import { id } from "../http/input/id.ts";
import { idSet, setOf } from "../http/input/set.ts";
import { name } from "../http/input/text.ts";
import type { HostAssignment } from "./model.ts";
import { credentialTypeSchema } from "./types.ts";

/** At most so many addresses over all host assignments of a credential; the database agrees. */
export const addressMaximum = 1000;

const hostAssignmentSchema = z
  .strictObject({
    host_id: id,
    // An empty list would target nothing, and must not come to mean the whole host.
    ip_address_ids: idSet
      .min(1, { error: "must not be empty: send null, or leave it out, for the whole host" })
      .nullable()
      .default(null),
  })
  .meta({ id: "HostAssignment" });

const addressCount = (assignments: readonly HostAssignment[]) =>
  assignments.reduce((count, { ip_address_ids }) => count + (ip_address_ids?.length ?? 0), 0);

/** Read-only fields are accepted and ignored, so that a client can send back what it read. */
const ignored = z
  .unknown()
  .optional()
  // Dropped at once: what is not used need not be held while the database answers.
  .transform(() => undefined)
  .meta({
    description: "Ignored, so that a record can be sent back as it was read.",
    input: { type: "string", format: "date-time", maxLength: 64 },
  });

/**
 * The body of an update: the whole credential (API contract, section 3). Any other field is an
 * error, for a misspelt `ip_address_ids` must never widen a secret's reach.
 */
export const credentialUpdateSchema = z
  .strictObject({
    id: id.optional(),
    created_at: ignored,
    updated_at: ignored,
    name: name,
    organization_id: id,
    tags: idSet,
    assigned_network_ids: idSet,
    host_assignments: setOf(hostAssignmentSchema, ({ host_id }) => host_id, "host_id").check(
      ({ value, issues }) => {
        if (addressCount(value) > addressMaximum) {
          issues.push({
            code: "too_big",
            origin: "array",
            maximum: addressMaximum,
            input: value,
            message: `must have at most ${addressMaximum} addresses in all: assign whole hosts, or fewer addresses`,
          });
        }
      },
    ),
    credential_type: credentialTypeSchema,
  })
  .meta({
    id: "CredentialUpdate",
    description: "The whole credential. Unknown fields are errors.",
  });
export type CredentialUpdate = z.output<typeof credentialUpdateSchema>;

import * as z from "zod";
import { credentialTypeSchema, daemonTypes } from "../discovery/credentials/types.ts";
import { id } from "../http/input/id.ts";
import { ownDataInput } from "../http/input/own-data.ts";
import { recordInput } from "../http/input/record.ts";
import { idSet, setOf } from "../http/input/set.ts";
import { name } from "../http/input/text.ts";
import type { HostAssignment } from "./model.ts";
import { keptFields } from "./seal-secrets.ts";

/**
 * Maximum total number of addresses in all host assignments of a credential. The database enforces
 * the same limit.
 */
export const addressMaximum = 1000;

const hostAssignmentSchema = z
  .strictObject({
    host_id: id,
    // An empty list would not match any address, and must not be interpreted as the whole host.
    ip_address_ids: idSet
      .min(1, { error: "must not be empty: for the whole host, send null or omit it" })
      .nullable()
      .default(null),
  })
  .meta({ id: "HostAssignment" });

const addressCount = (assignments: readonly HostAssignment[]) =>
  assignments.reduce((count, { ip_address_ids }) => count + (ip_address_ids?.length ?? 0), 0);

const fields = z.strictObject({
  ...recordInput,
  name,
  // Clients of other servers always send it. A text would be lost, so it is an error.
  description: z
    .string()
    .max(0, { error: "must be null: keep notes in metadata" })
    .nullish()
    .transform(() => undefined),
  organization_id: id,
  ...ownDataInput,
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
});

/** Reports the networks of a type that must be assigned to hosts only. */
const requireHosts: z.core.CheckFn<z.output<typeof fields>> = ({ value, issues }) => {
  const { type } = value.credential_type;
  if (value.assigned_network_ids.length > 0 && daemonTypes.get(type)?.isForHosts) {
    issues.push({
      code: "custom",
      input: value,
      path: ["assigned_network_ids"],
      message: `must be empty for the type ${type}: assign it to hosts`,
    });
  }
};

/**
 * The request body for a credential (API contract, section 3). Unknown fields are errors, since a
 * misspelled `ip_address_ids` must never widen a secret's scope.
 */
export const credentialInput = fields.check(requireHosts).meta({
  id: "CredentialInput",
  description: "The whole credential. Unknown fields are errors.",
});
export type CredentialInput = z.output<typeof credentialInput>;

const { tags, assigned_network_ids, host_assignments } = fields.shape;

/**
 * The request body for a new credential. Masks are errors, since there are no stored secrets; sets
 * are optional, since there are no stored sets to clear.
 */
export const newCredentialInput = fields
  .extend({
    tags: tags.default([]),
    assigned_network_ids: assigned_network_ids.default([]),
    host_assignments: host_assignments.default([]),
  })
  .check(requireHosts)
  .check(({ value, issues }) => {
    for (const field of keptFields(value.credential_type)) {
      issues.push({
        code: "custom",
        input: value,
        path: ["credential_type", field, "value"],
        message: "is a mask, but there is no stored secret to keep: send the secret itself",
      });
    }
  })
  .meta({
    id: "CredentialCreation",
    description: "A credential to create. Unknown fields are errors.",
  });

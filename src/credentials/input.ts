import * as z from "zod";
import { id } from "../http/input/id.ts";
import { recordInput } from "../http/input/record.ts";
import { idSet, setOf } from "../http/input/set.ts";
import { name } from "../http/input/text.ts";
import type { HostAssignment } from "./model.ts";
import { keptFields } from "./seal-secrets.ts";
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

/**
 * A whole credential, as callers send it (API contract, section 3). Any other field is an error, for
 * a misspelt `ip_address_ids` must never widen a secret's reach.
 */
export const credentialInput = z
  .strictObject({
    ...recordInput,
    name,
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
    id: "CredentialInput",
    description: "The whole credential. Unknown fields are errors.",
  });
export type CredentialInput = z.output<typeof credentialInput>;

const { tags, assigned_network_ids, host_assignments } = credentialInput.shape;

/**
 * A credential that is to be created: there is no stored secret that a mask could keep, and no stored set that one left
 * out could clear.
 */
export const newCredentialInput = credentialInput
  .extend({
    tags: tags.default([]),
    assigned_network_ids: assigned_network_ids.default([]),
    host_assignments: host_assignments.default([]),
  })
  .check(({ value, issues }) => {
    for (const field of keptFields(value.credential_type)) {
      issues.push({
        code: "custom",
        input: value,
        path: ["credential_type", field, "value"],
        message:
          "is a mask, and there is no stored secret that it could keep: send the secret itself",
      });
    }
  })
  .meta({
    id: "CredentialCreation",
    description: "A credential to create. Unknown fields are errors.",
  });

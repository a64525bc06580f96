import { type SQLWrapper, sql } from "drizzle-orm";
import type { JSONParsed } from "hono/utils/types";
import * as z from "zod";
import { credentials } from "../database/tables/index.ts";
import { id } from "../http/input/id.ts";
import { idSet, setOf } from "../http/input/set.ts";
import { name } from "../http/input/text.ts";
import { type CredentialType, credentialTypeSchema } from "./types.ts";

/** A host that a credential is assigned to; `ip_address_ids` null is the whole host. */
export interface HostAssignment {
  host_id: string;
  ip_address_ids: string[] | null;
}

/** What a credential's own row says of it. */
export const ownColumns = {
  id: credentials.id,
  created_at: credentials.created_at,
  updated_at: credentials.updated_at,
  name: credentials.name,
  organization_id: credentials.organization_id,
  settings: credentials.settings,
};

type OwnColumns = Record<keyof typeof ownColumns, SQLWrapper>;

/**
 * What is read of a credential to answer callers. Secrets were masked when it was written.
 * @param own the columns of the credential's own row, which may come from a subquery
 */
export function credentialColumns<Own extends OwnColumns>({ settings, ...own }: Own) {
  const ofCredential = (table: string) =>
    sql`${sql.identifier(table)}.organization_id = ${own.organization_id}
      and ${sql.identifier(table)}.credential_id = ${own.id}`;
  return {
    ...own,
    // As JSON, since the driver parses arrays of Postgres character by character.
    tags: sql<string[]>`to_json(array(
      select tag_id from credential_tags
      where ${ofCredential("credential_tags")} order by tag_id))`.as("tags"),
    assigned_network_ids: sql<string[]>`to_json(array(
      select network_id from credential_networks
      where ${ofCredential("credential_networks")} order by network_id))`.as(
      "assigned_network_ids",
    ),
    // A host, and its addresses if they limit the assignment: `HOST` or `HOST:ADDRESS,ADDRESS`. To
    // build objects of them would cost Postgres more than all the rest of a page.
    host_assignments: sql<string[]>`to_json(array(
      select concat_ws(':', host_id, case when is_limited_to_addresses then array_to_string(array(
        select ip_address_id from credential_host_ip_addresses as address
        where ${ofCredential("address")}
          and address.host_id = assignment.host_id
        order by ip_address_id), ',') end)
      from credential_hosts as assignment
      where ${ofCredential("assignment")} order by host_id))`.as("host_assignments"),
    credential_type: sql<JSONParsed<CredentialType>>`${settings}`.as("credential_type"),
  };
}

/** A credential as callers see it. */
export const credentialWire = <Row extends { host_assignments: string[] }>(row: Row) => ({
  ...row,
  host_assignments: row.host_assignments.map(hostAssignment),
});

function hostAssignment(text: string): HostAssignment {
  const [host_id = "", addresses] = text.split(":");
  return { host_id, ip_address_ids: addresses === undefined ? null : addresses.split(",") };
}

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

/** Response-only fields may be sent, so that what was read can be sent back. They are ignored. */
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

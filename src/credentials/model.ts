import { type SQL, sql } from "drizzle-orm";
import type { JSONParsed } from "hono/utils/types";
import * as z from "zod";
import { columnsOf, type RowOf } from "../database/columns-of.ts";
import { setMaximum } from "../database/sets.ts";
import { credentialHostIpAddresses, credentials } from "../database/tables/index.ts";
import { type CredentialType, credentialTypeSchema } from "../discovery/credentials/types.ts";
import { id } from "../http/input/id.ts";
import { ownDataFields } from "../http/input/own-data.ts";
import { sortedIds } from "../http/input/set.ts";
import { name } from "../http/input/text.ts";
import { recordFields } from "../http/verbs/record.ts";

const hostAssignmentSchema = z
  .object({ host_id: id, ip_address_ids: sortedIds("").nullable() })
  .meta({
    id: "HostAssignment",
    description:
      "A host to which the credential is assigned: the whole host if `ip_address_ids` is null, else only these addresses.",
  });

/** A credential (API contract, section 3). */
export const credentialSchema = z
  .object({
    ...recordFields,
    name: name,
    organization_id: id,
    ...ownDataFields,
    tags: sortedIds("Its tags."),
    assigned_network_ids: sortedIds("The networks on whose hosts it is tried (broadcast scope)."),
    host_assignments: z.array(hostAssignmentSchema).max(setMaximum).meta({
      uniqueItems: true,
      description: "The hosts to which it is assigned (per-host scope). Sorted by `host_id`.",
    }),
    credential_type: credentialTypeSchema,
  })
  .meta({
    id: "Credential",
    description: "Secrets and settings for access to hosts. Secrets are never returned.",
  });

/** A credential as JSON, with its secrets masked. */
export type Credential = JSONParsed<z.output<typeof credentialSchema>>;
export type HostAssignment = z.output<typeof hostAssignmentSchema>;

const childrenIn = (table: string): SQL =>
  sql`${sql.identifier(table)} as child where child.organization_id = ${credentials.organization_id}
    and child.credential_id = ${credentials.id}`;

/** The columns of a credential. Secrets were masked when it was written. */
const credentialColumns = {
  ...columnsOf(
    credentials,
    credentialSchema.pick({
      id: true,
      created_at: true,
      updated_at: true,
      name: true,
      organization_id: true,
      external_id: true,
      metadata: true,
    }),
  ),
  // As JSON, since the driver parses Postgres arrays character by character.
  tags: sql<string[]>`to_json(array(
    select tag_id from ${childrenIn("credential_tags")} order by tag_id))`,
  assigned_network_ids: sql<string[]>`to_json(array(
    select network_id from ${childrenIn("credential_networks")} order by network_id))`,
  // A host, with its addresses if they limit the assignment: `HOST` or `HOST:ADDRESS,ADDRESS`.
  // Building objects would take Postgres longer than building the rest of a page.
  host_assignments: sql<string[]>`to_json(array(
    select concat_ws(':', host_id, case when is_limited_to_addresses then array_to_string(array(
      select ip_address_id from ${credentialHostIpAddresses} as address
      where address.organization_id = child.organization_id
        and address.credential_id = child.credential_id and address.host_id = child.host_id
      order by ip_address_id), ',') end)
    from ${childrenIn("credential_hosts")} order by host_id))`,
  credential_type: sql<JSONParsed<CredentialType>>`${credentials.settings}`,
};

/** Converts a row to a credential in the response format. */
const toCredential = (row: RowOf<typeof credentialColumns>): Credential => ({
  ...row,
  host_assignments: row.host_assignments.map(hostAssignment),
});

function hostAssignment(text: string): HostAssignment {
  const [host_id = "", addresses] = text.split(":");
  return { host_id, ip_address_ids: addresses === undefined ? null : addresses.split(",") };
}

export const credentialResource = {
  entity: "Credential" as const,
  schema: credentialSchema,
  path: "/api/v1/credentials",
  table: credentials,
  columns: credentialColumns,
  orderFields: {
    created_at: credentials.created_at,
    updated_at: credentials.updated_at,
    name: credentials.name,
    type: credentials.type,
  },
  toItem: toCredential,
};

import { getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import {
  credentials,
  daemons,
  networks,
  tags,
  userApiKeys,
} from "../../src/database/tables/index.ts";
import { type GeneratedFunction, lines } from "./text.ts";

/**
 * The records that `app.lock_records` locks, in this order, keyed by the parameter that contains
 * their ids.
 */
const locked: Readonly<Record<string, { table: PgTable; strength: string }>> = {
  // Tags are only protected from deletion, since a set refers to them.
  tag_ids: { table: tags, strength: "key share" },
  credential_ids: { table: credentials, strength: "no key update" },
  daemon_ids: { table: daemons, strength: "no key update" },
  network_ids: { table: networks, strength: "no key update" },
  key_ids: { table: userApiKeys, strength: "no key update" },
};

const statements = Object.entries(locked).map(
  ([parameter, { table, strength }]) => `\
  if ${parameter} <> '{}' then
    perform from public.${getTableName(table)} as record
    where record.organization_id = organization and record.id = any (${parameter})
    order by record.id for ${strength};
  end if;
`,
);

/** `app.lock_records`, with a statement for each table. */
export const lockRecords: GeneratedFunction = {
  name: "lock_records",
  text: `\
-- Locks records of the caller's organization, always in the same order. A transaction that changes
-- sets on both sides, or deletes records that sets refer to, first calls this for everything that
-- it will write, so two such transactions never deadlock. Tags are only protected from deletion.
create or replace function app.lock_records(
${lines(
  Object.keys(locked).map((parameter) => `${parameter} uuid[] default '{}'`),
  "  ",
)})
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  organization uuid := app.organization_id();
begin
${statements.join("")}end
$$;

grant execute on function app.lock_records to inventory_api;
`,
};

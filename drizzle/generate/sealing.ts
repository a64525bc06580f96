import { getTableName } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import {
  credentialSecrets,
  daemonSecrets,
  webhookSecrets,
} from "../../src/database/tables/index.ts";
import type { GeneratedFunction } from "./text.ts";

/** The tables with sealed secrets. */
export const sealedTables: readonly PgTable[] = [credentialSecrets, daemonSecrets, webhookSecrets];

/** SQL for the name of the key with which the secret in a row is sealed. */
const keyName = (sealed: string) => `split_part(${sealed}, '.', 1) collate "C"`;

/**
 * Returns the index with which `app.readiness` finds the names of the keys that seal a table's
 * secrets.
 */
export function keyNameRules(table: PgTable): string {
  const name = getTableName(table);
  return `\
-- Used to find the names of the sealing keys in use without reading every secret.
create index if not exists ${name}_key_index on ${name} (${keyName("sealed")});
`;
}

/**
 * Returns a recursive query, named after a table, that selects one secret for each key name in use.
 * Each step is one index look-up.
 * @param columns columns of the secret in addition to `key_name`, with a leading comma
 */
function keyNamesIn(table: PgTable, columns = ""): string {
  const name = getTableName(table);
  const selected = `\
select ${keyName("secret.sealed")} as key_name${columns}
      from public.${name} as secret`;
  const first = `order by ${keyName("secret.sealed")} limit 1`;
  return `\
  ${name} as (
    (${selected}
      ${first})
    union all
    select next.* from ${name} cross join lateral (
      ${selected}
      where ${keyName("secret.sealed")} > ${name}.key_name
      ${first}) as next)`;
}

/** `app.readiness`, with a query for the key names in each table with sealed secrets. */
export const readiness: GeneratedFunction = {
  name: "readiness",
  text: `\
-- The data for the readiness check, for the Worker's login only: the newest migration; for each
-- sealing key name in use, one sealed credential secret with its owner; and the names of the keys
-- that sealed daemons' tokens and webhooks' secrets. There are at most 20 of each.
create or replace function app.readiness() returns jsonb
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  with recursive
${[
  keyNamesIn(
    credentialSecrets,
    ", secret.organization_id, secret.credential_id as id, secret.field, secret.sealed",
  ),
  keyNamesIn(daemonSecrets),
  keyNamesIn(webhookSecrets),
].join(",\n")}
  select jsonb_build_object(
    'newest_migration', (select max(created_at) from drizzle.__drizzle_migrations),
    'credential_secrets', (
      select coalesce(jsonb_agg(jsonb_build_object(
        'organization_id', organization_id, 'id', id, 'field', field, 'sealed', sealed)), '[]')
      from (select * from credential_secrets limit 20) as sample),
    'token_keys', (
      select coalesce(jsonb_agg(distinct key_name), '[]')
      from (
        (select * from daemon_secrets limit 20) union all
        (select * from webhook_secrets limit 20)) as known))
$$;
`,
};

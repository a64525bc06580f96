import type pg from "pg";

/** The number of tags on each record. */
const tagsOfEach = 2;

/**
 * Gives every organization tags, networks, daemons, keys and audit entries, along with their sets.
 * There are so many records that Postgres does not scan the tables completely.
 * @param each the number of records of each kind in an organization, as an SQL expression that can
 * use the columns of `organizations`
 */
export async function makeManyRecords(client: pg.Client, each = "2000"): Promise<void> {
  const numbers = `organizations, generate_series(1, ${each}) as number`;
  const idOf = (kind: string, number: string) =>
    `md5(concat_ws(':', '${kind}', organizations.id, ${number}))::uuid`;
  const tagged = (table: string, kind: string) => `
    insert into ${table} select organizations.id, ${idOf(kind, "number")},
      ${idOf("tag", `1 + (number * 7 + part) % (${each})`)}
    from ${numbers}, generate_series(1, ${tagsOfEach}) as part`;
  await client.query("set session_replication_role = replica");
  for (const statement of [
    `insert into tags (organization_id, id, name)
      select organizations.id, ${idOf("tag", "number")}, 'Many ' || number from ${numbers}`,
    `insert into networks (organization_id, id, name)
      select organizations.id, ${idOf("network", "number")}, 'Many ' || number from ${numbers}`,
    `insert into daemons (organization_id, id, network_id, name, url)
      select organizations.id, ${idOf("daemon", "number")}, ${idOf("network", "number")},
        'Many ' || number, 'https://daemon.example.com' from ${numbers}`,
    `insert into user_api_keys (organization_id, id, name, role, is_limited_to_networks)
      select organizations.id, ${idOf("key", "number")}, 'Many ' || number, 'Viewer', true
      from ${numbers}`,
    `insert into user_api_key_networks (organization_id, api_key_id, network_id)
      select organizations.id, ${idOf("key", "number")}, ${idOf("network", "number")}
      from ${numbers}`,
    `insert into audit_entries (
        organization_id, at, action, entity, entity_id, label, changed, actor_type, actor_id)
      select organizations.id, now() - make_interval(mins => number), 'updated',
        case number % 2 when 0 then 'Tag' else 'ApiKey' end, ${idOf("audited", "number % 4")},
        'Many', '{name}', 'key', ${idOf("actor", "number % 2")}
      from ${numbers}`,
    tagged("network_tags", "network"),
    tagged("daemon_tags", "daemon"),
  ]) {
    await client.query(statement);
  }
  await client.query("set session_replication_role = origin");
  await client.query("vacuum (analyze)");
}

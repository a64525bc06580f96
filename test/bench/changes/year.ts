import type { Statement } from "../inventory.ts";

/**
 * Weeks that are later than all other changes, with the number of the first organization's records
 * that change in each week.
 */
export const weeks = [
  { changed: 1000, from: "2024-12-08T00:00:00.000Z", to: "2024-12-15T00:00:00.000Z" },
  { changed: 10_000, from: "2024-12-16T00:00:00.000Z", to: "2024-12-23T00:00:00.000Z" },
] as const;

/**
 * The total number of versions of one host's records, and the number of versions of one of its
 * bindings.
 */
export const longTimeline = { host: 1000, binding: 100 } as const;

/** The number of changes in a transaction. */
const changesOfTransaction = 20;

/** The interval between versions of the host of {@link longTimeline}. */
const betweenVersions = "interval '8 hours'";

const idOf = (...parts: string[]) => `md5(concat_ws(':', $1::text, ${parts.join(", ")}))::uuid`;
const first = idOf("'organization'", "1");
const network = idOf("'network'", "1", "0");

/**
 * For tables with history, the columns that `networkInventory` fills in addition to those that
 * every version has.
 */
const columnsOf = {
  hosts: "network_id, name, hostname",
  services: "network_id, host_id, name, service_definition, version",
  bindings: "network_id, host_id, type, service_id, port_id, ip_address_id",
} as const;

const tables = ["subnets", "hosts", "ip_addresses", "ports", "services", "bindings"] as const;

/** The instant at which a record changes, by its `ordinal` among the changed records. */
const instant = (from: string) =>
  `timestamptz '${from}' + (ordinal / ${changesOfTransaction}) * interval '7 minutes'`;

/** The given number of the first organization's live records, in pseudorandom order. */
const chosen = (table: string, from: string, amount: number, condition: string) => `
  select id, (row_number() over (order by md5(id::text)) - 1)::int as ordinal from ${table}
  where organization_id = ${first} and valid_to is null and ${condition}
    and valid_from < '${from}' order by md5(id::text) limit ${amount}`;

/**
 * Starts a new version of live records, with a different string, and keeps the previous version.
 */
const renewed = (
  table: "hosts" | "services",
  column: string,
  { from }: { from: string },
  amount: number,
) => `
  with chosen as (${chosen(table, from, amount, "network_id is not null")}),
  kept as (
    insert into ${table} (id, lineage_id, organization_id, created_at, updated_at, last_seen_at,
      valid_from, valid_to, ${columnsOf[table]})
    select gen_random_uuid(), record.id, record.organization_id, record.created_at, record.updated_at,
      record.last_seen_at, record.valid_from, ${instant(from)}, ${columnsOf[table].replaceAll(/\w+/g, "record.$&")}
    from ${table} as record join chosen on chosen.id = record.id
    where record.organization_id = ${first})
  update ${table} as record set valid_from = ${instant(from)}, updated_at = ${instant(from)},
    ${column} = 'Of ${from.slice(0, 10)}'
  from chosen where record.organization_id = ${first} and record.id = chosen.id`;

/**
 * The changes in a week: two fifths are changed services, and one fifth each are changed hosts,
 * ended bindings and new ports.
 */
const week = (of: (typeof weeks)[number]): string[] => [
  renewed("services", "version", of, of.changed * 0.4),
  renewed("hosts", "sys_descr", of, of.changed * 0.2),
  `with chosen as (${chosen("bindings", of.from, of.changed * 0.2, "type = 'Port'")})
    update bindings as record set id = gen_random_uuid(), lineage_id = record.id, valid_to = ${instant(of.from)}
    from chosen where record.organization_id = ${first} and record.id = chosen.id`,
  `with chosen as (${chosen("hosts", of.from, of.changed * 0.2, "network_id is not null")})
    insert into ports (organization_id, created_at, updated_at, last_seen_at, valid_from, network_id,
      host_id, number, protocol)
    select ${first}, at, at, at, at, record.network_id, record.id,
      ${20_000 + weeks.indexOf(of)}, 'Tcp'
    from chosen join hosts as record on record.organization_id = ${first} and record.id = chosen.id,
      lateral (select ${instant(of.from)} as at) as change`,
];

/**
 * Returns a statement that inserts the versions of each record in `from`, on the host of {@link
 * longTimeline}. The last version is live.
 */
const versions = (
  table: keyof typeof columnsOf,
  id: string,
  from: string,
  values: readonly string[],
) => `
  insert into ${table} (id, lineage_id, organization_id, created_at, updated_at, last_seen_at,
    valid_from, valid_to, ${columnsOf[table]})
  select case when is_live then ${id} else gen_random_uuid() end, case when not is_live then ${id} end,
    ${first}, begins, begins, begins, begins, case when not is_live then begins + step end, ${network},
    ${values.join(", ")}
  from ${from}, generate_series(0, ${longTimeline.binding - 1}) as version,
    lateral (select version = ${longTimeline.binding - 1} as is_live, ${betweenVersions} as step) as life,
    lateral (select timestamptz '2024-01-01' + version * step + number * interval '1 minute' as begins) as span`;

const longHost = idOf("'long host'");
const longService = (number: string) => idOf("'long service'", number);
const longPort = (number: string) => idOf("'long port'", number);

/** A host, eight services and a binding with 100 versions each, on ports that never change. */
const longHistory: string[] = [
  versions("hosts", longHost, "(values (0)) as record (number)", ["'Long'", "'v' || version"]),
  versions("services", longService("number"), "generate_series(1, 8) as number", [
    longHost,
    "'Service ' || number",
    "'Kind'",
    "'1.' || version",
  ]),
  `insert into ports (id, organization_id, created_at, updated_at, last_seen_at, valid_from, network_id,
      host_id, number, protocol)
    select ${longPort("number")}, ${first}, at, at, at, at, ${network}, ${longHost}, 22 + number, 'Tcp'
    from generate_series(0, 1) as number, (values (timestamptz '2024-01-01')) as change (at)`,
  versions("bindings", idOf("'long binding'"), "(values (9)) as record (number)", [
    longHost,
    "'Port'",
    longService("1"),
    longPort("version % 2"),
    "null",
  ]),
];

/**
 * Turns the result of `networkInventory`, in which all versions of a record are equal, into a year
 * of changes. Run these statements after those of `networkInventory`. They change the fields of
 * services and hosts, delete and recreate ports and bindings, give two weeks a known number of
 * changes and one host a long history, and insert the transactions of all changes.
 */
export const yearOfChanges = (namespace: string): Statement[] =>
  [
    "update services set version = '1.' || extract(doy from valid_from) where valid_to is not null",
    "update hosts set sys_descr = 'Since ' || valid_from where valid_to is not null",
    "update ports set lineage_id = md5(lineage_id::text || valid_from)::uuid where valid_to is not null",
    `update bindings set lineage_id = md5(lineage_id::text || valid_from)::uuid,
      port_id = md5(port_id::text || valid_from)::uuid where valid_to is not null`,
    ...weeks.flatMap(week),
    ...longHistory,
    `insert into transactions (organization_id, changed_at, actor_type, actor_name)
      select organization_id, at, 'daemon', 'Bench' from (${tables
        .flatMap((table) =>
          ["valid_from", "valid_to"].map(
            (column) =>
              `select organization_id, ${column} as at from ${table} where ${column} is not null`,
          ),
        )
        .join(" union ")}) as changes`,
  ].map((text) => ({ text, values: text.includes("$1") ? [namespace] : [] }));

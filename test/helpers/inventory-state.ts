import { sql } from "./database.ts";

/** The tables with history. */
export const versionedTables = [
  "subnets",
  "hosts",
  "ip_addresses",
  "ports",
  "interfaces",
  "neighbors",
  "services",
  "bindings",
] as const;
export type VersionedTable = (typeof versionedTables)[number];

/** A record at an instant: its id and its versioned columns. */
export interface StateRow {
  table: VersionedTable;
  live_id: string;
  content: Record<string, unknown>;
}

/** Columns whose changes do not start a version. */
const unversioned = [
  "id",
  "revision",
  "updated_at",
  "last_seen_at",
  "first_discovery_id",
  "last_discovery_id",
  "hidden",
  "position",
  "valid_from",
  "valid_to",
  "lineage_id",
  "current_id",
  "live_network_id",
  "live_host_id",
  "live_subnet_id",
  "live_interface_id",
  "live_service_id",
  "live_port_id",
  "live_ip_address_id",
];

const stateQuery = (condition: string) =>
  versionedTables
    .map(
      (table) => `
        select '${table}' as table, live_id, to_jsonb(record) - '{${unversioned}}'::text[] as content
        from ${table} as record where organization_id = $1 and ${condition}`,
    )
    .join(" union all ");

/** All live records of an organization, read only from live rows. */
export const liveState = async (organizationId: string) =>
  (await sql.query(`${stateQuery("valid_to is null")} order by 1, 2`, [
    organizationId,
  ])) as StateRow[];

/** All records of an organization at a timestamp, selected like a list with `at`. */
export const stateAt = async (organizationId: string, at: string) =>
  (await sql.query(
    `${stateQuery("valid_from <= $2 and (valid_to is null or valid_to > $2)")} order by 1, 2`,
    [organizationId, at],
  )) as StateRow[];

/** Every timestamp at which one of an organization's versions started or ended. */
export const boundariesOf = async (organizationId: string) => {
  const rows = await sql.query(
    `${versionedTables
      .map(
        (table) => `
          select valid_from as at from ${table} where organization_id = $1
          union select valid_to from ${table} where organization_id = $1 and valid_to is not null`,
      )
      .join(" union ")} order by 1`,
    [organizationId],
  );
  return rows.map(({ at }) => String(at));
};

const parents = {
  host_id: "hosts",
  service_id: "services",
  port_id: "ports",
  ip_address_id: "ip_addresses",
  subnet_id: "subnets",
} as const;

/** References to records that are missing from the same state. */
export const orphansOf = (state: readonly StateRow[]) => {
  const present = new Set(state.map(({ table, live_id }) => `${table} ${live_id}`));
  return state.flatMap(({ table, live_id, content }) =>
    Object.entries(parents)
      .filter(([column, parent]) => {
        const id = content[column];
        return id !== null && id !== undefined && !present.has(`${parent} ${id}`);
      })
      .map(([column]) => `${table} ${live_id}: ${column}`),
  );
};

import { sql } from "./database.ts";

const versioned = [
  "bindings",
  "hosts",
  "interfaces",
  "neighbors",
  "ip_addresses",
  "ports",
  "services",
  "subnets",
] as const;
const tags = ["host_tags", "service_tags", "subnet_tags"] as const;

/** The tables from which rows are deleted as expired history, depending on when each row ended. */
const kept = [...versioned, ...tags.map((table) => `closed_${table}` as const)];

const dayMs = 86_400_000;

/**
 * The instant at which history starts if it is kept for the given number of days. It is always
 * midnight UTC.
 */
export const limitOf = (days: number): string =>
  new Date(Math.floor(Date.now() / dayMs) * dayMs - days * dayMs).toISOString();

/**
 * Moves an organization's changes into the past, so that the given instant becomes the limit for
 * the given number of days. Triggers that prevent changes to history do not fire.
 * @returns a function that converts an instant before the move to the instant after it
 */
export async function moveIntoPast(organizationId: string, instant: string, days: number) {
  const movedMs = Date.parse(instant) - Date.parse(limitOf(days));
  const earlier = (column: string) => `${column} = ${column} - interval '1 millisecond' * $2`;
  const interval = `${earlier("created_at")}, ${earlier("valid_from")}`;
  const changed = [
    // Closed versions first: a live version would overlap them if it were moved first.
    ...versioned.map(
      (table) => `${table} set ${interval}, ${earlier("valid_to")}
      where valid_to is not null and`,
    ),
    ...versioned.map((table) => `${table} set ${interval} where valid_to is null and`),
    ...tags.flatMap((table) => [
      `${table} set ${earlier("valid_from")} where`,
      `closed_${table} set ${earlier("valid_from")}, ${earlier("valid_to")} where`,
    ]),
    `transactions set ${earlier("changed_at")} where`,
  ];
  const updates = changed.map((change) =>
    sql.query(`update ${change} organization_id = $1`, [organizationId, movedMs]),
  );
  await sql.transaction([sql`set local session_replication_role = replica`, ...updates]);
  return (at: string) => new Date(Date.parse(at) - movedMs).toISOString();
}

/** Runs one step of the job, which deletes at most `maximum` rows. Returns their number. */
export async function sweepOnce(maximum: number): Promise<number> {
  const [, rows] = await sql.transaction([
    sql`set local role inventory_poller`,
    sql`select app.sweep_history(${maximum}) as swept`,
  ]);
  return rows?.[0]?.["swept"];
}

/** Sweeps until nothing is due. */
export async function sweepAll(maximum = 1000): Promise<void> {
  while ((await sweepOnce(maximum)) >= maximum) {}
}

/** Sets the number of days for which an organization keeps its history, as the operation does. */
export const keepFor = (organizationId: string, days: number | null) =>
  sql`update organizations set history_days = ${days} where id = ${organizationId}`;

/** The number of an organization's rows that ended at or before an instant. */
export async function endedUntil(organizationId: string, instant: string): Promise<number> {
  const counts = kept.map(
    (table) => `
      select count(*)::int as count from ${table}
      where organization_id = $1 and valid_to is not null and valid_to <= $2`,
  );
  const [row] = await sql.query(
    `select sum(count)::int from (${counts.join(" union all ")}) as ended`,
    [organizationId, instant],
  );
  return row?.["sum"];
}

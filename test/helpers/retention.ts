import { sql } from "./database.ts";

const versioned = [
  "bindings",
  "hosts",
  "interfaces",
  "ip_addresses",
  "ports",
  "services",
  "subnets",
] as const;
const tags = ["host_tags", "service_tags", "subnet_tags"] as const;

/** What deletes what is no longer kept, by the ends that tell which rows those are. */
const kept = [...versioned, ...tags.map((table) => `closed_${table}` as const)];

const dayMs = 86_400_000;

/** Where history begins that is kept for so many days: a midnight. */
export const limitOf = (days: number): string =>
  new Date(Math.floor(Date.now() / dayMs) * dayMs - days * dayMs).toISOString();

/**
 * Moves all that an organization has changed into the past, so that an instant becomes the limit of so many days. The
 * rows are as if it had all happened then: their triggers, which keep anybody from writing history, do not fire.
 * @returns what has become of instants
 */
export async function moveIntoPast(organizationId: string, instant: string, days: number) {
  const movedMs = Date.parse(instant) - Date.parse(limitOf(days));
  const earlier = (column: string) => `${column} = ${column} - interval '1 millisecond' * $2`;
  const interval = `${earlier("created_at")}, ${earlier("valid_from")}`;
  const changed = [
    // What is closed first: a live version moved before it would overlap with it.
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

/** What the job calls, in steps of so many rows. Returns how many were deleted by one. */
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

/** Says for how many days an organization keeps its history, as the operation does. */
export const keepFor = (organizationId: string, days: number | null) =>
  sql`update organizations set history_days = ${days} where id = ${organizationId}`;

/** How many rows of an organization have ended up to an instant. */
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

import type { GeneratedFunction } from "./text.ts";

/** Rows that are deleted once they are old enough. */
interface Expiring {
  table: string;
  /** The column from which the age is counted. */
  since: string;
  /** The age, as a Postgres interval. */
  age: string;
  /** A condition on `due`, the row. By default, every row is deleted at that age. */
  when?: string;
}

/** Generates a function that deletes up to `maximum` expired rows, the oldest first. */
function sweepFunction(name: string, expiring: readonly Expiring[]): GeneratedFunction {
  const deletions = expiring.map(({ table, since, age, when }) => {
    const condition = `due.${since} <= now() - interval '${age}'`;
    return `\
  delete from ${table} as old where old.ctid = any (array(
    select due.ctid from ${table} as due
    where ${when === undefined ? "" : `${when} and `}${condition}
    order by due.${since} limit maximum - swept for update skip locked));
  get diagnostics deleted = row_count;
  swept := swept + deleted;
`;
  });
  const text = `\
-- Deletes up to \`maximum\` expired rows: ${expiring.map(({ table, age }) => `${table} after ${age}`).join(", ")}.
-- Returns the number of deleted rows.
create or replace function app.${name}(maximum integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  swept integer := 0;
  deleted integer;
begin
${deletions.join("")}\
  return swept;
end
$$;

grant execute on function app.${name} to inventory_poller;
`;
  return { name, text };
}

/** The functions of src/database/sweep.ts that delete rows at a fixed age. */
export const sweepFunctions: readonly GeneratedFunction[] = [
  sweepFunction("sweep_discovery_sessions", [
    { table: "public.discovery_sessions", since: "finished_at", age: "90 days" },
    // An entry no longer counts towards the daily maximum: see app.bound_sessions.
    { table: "app.requested_scans", since: "requested_at", age: "1 day" },
  ]),
  sweepFunction("sweep_idempotency_keys", [
    { table: "public.idempotency_keys", since: "created_at", age: "24 hours" },
  ]),
  sweepFunction("sweep_user_api_tokens", [
    // A while after their expiry, because the Worker's clock may be behind.
    { table: "public.user_api_tokens", since: "expires_at", age: "5 minutes" },
  ]),
  sweepFunction("sweep_version_counters", [
    { table: "app.version_counters", since: "hour", age: "24 hours" },
  ]),
  sweepFunction("sweep_webhook_deliveries", [
    {
      table: "public.webhook_deliveries",
      since: "last_attempt_at",
      age: "30 days",
      when: "due.state <> 'retrying'",
    },
  ]),
];

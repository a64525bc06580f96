import { beforeAll, beforeEach, expect, test } from "vitest";
import { sweep, sweepSize, sweepSteps } from "../../src/database/sweep.ts";
import { recordConsole } from "../helpers/console.ts";
import { sql } from "../helpers/database.ts";
import { mintOrganization, type Organization } from "../helpers/organization.ts";
import { openFreshDatabase, openPoller } from "../helpers/poller.ts";
import { mintToken } from "../helpers/tokens.ts";

let variables: Record<string, string>;
let organization: Organization;

beforeAll(async () => {
  variables = await openFreshDatabase();
}, 60_000);

beforeEach(async () => {
  await sql`delete from organizations`;
  organization = await mintOrganization();
});

const poller = (more: Record<string, unknown> = {}) => openPoller({ ...variables, ...more });

/** Inserts Idempotency-Keys with a given age. */
const keep = (count: number, age: string) => sql`
  insert into idempotency_keys
    (organization_id, api_key_id, key, operation, request_digest, record_ids, created_at)
  select organization_id, id, ${age}::text || number, 'POST /api/v1/tags', sha256('\\x00'), '{}',
    now() - ${age}::interval
  from user_api_keys, generate_series(1, ${count}::int) as number
  where organization_id = ${organization.id} and role = 'Owner'`;

const left = async () => {
  const [row] = await sql`select count(*)::int from idempotency_keys`;
  return row?.["count"];
};

test("the cron deletes only keys that are older than 24 hours", async () => {
  await keep(3, "24 hours 1 second");
  await keep(2, "23 hours 59 minutes");
  await poller().cycle();
  expect(await left()).toBe(2);
});

test("a sweep runs a limited number of steps, each of a limited size", async () => {
  const swept = poller();
  await keep(sweepSize * sweepSteps + 1, "25 hours");
  await sweep(swept.settings, "idempotency_sweep");
  expect(await swept.calls()).toBe(sweepSteps);
  expect(await left()).toBe(1);
  await sweep(swept.settings, "idempotency_sweep");
  expect(await swept.calls()).toBe(sweepSteps + 1);
  expect(await left()).toBe(0);
});

test("the cron deletes only tokens that expired more than five minutes ago", async () => {
  for (const minutes of [4, 6]) {
    await mintToken(organization.keys.owner, {
      expires_at: new Date(Date.now() - minutes * 60_000).toISOString(),
      subject: `${minutes} minutes`,
    });
  }
  await poller().cycle();
  const left =
    await sql`select subject from user_api_tokens where organization_id = ${organization.id}`;
  expect(left).toEqual([{ subject: "4 minutes" }]);
});

test("the cron deletes only version counters that are older than a day", async () => {
  await sql`insert into app.version_counters (organization_id, hour, versions)
    select ${organization.id}, date_trunc('hour', now(), 'UTC') - make_interval(hours => hours), hours
    from unnest(array[23, 24, 30]) as hours`;
  await poller().cycle();
  expect(await sql`select versions::int from app.version_counters`).toEqual([{ versions: 23 }]);
});

test("the cron deletes only records of scans that were requested more than a day ago", async () => {
  await sql`insert into app.requested_scans (organization_id, requested_at)
    select ${organization.id}, now() - make_interval(hours => hours)
    from unnest(array[23, 25, 30]) as hours`;
  await poller().cycle();
  expect(
    await sql`select requested_at > now() - interval '1 day' as counts from app.requested_scans`,
  ).toEqual([{ counts: true }]);
});

test("a sweep runs even if the cycle fails", async () => {
  await keep(1, "25 hours");
  await poller().mintDaemon({}, organization);
  const failing = poller({
    POLL_QUEUE: {
      sendBatch: async () => {
        throw new Error("the queue is down");
      },
    },
  });
  const logs = recordConsole();
  await failing.cycle();
  expect(logs()).toContain('"event":"job_failed","job":"poll_cycle"');
  expect(await left()).toBe(0);
});

test("a cycle runs even if the sweep fails", async () => {
  const id = await poller().mintDaemon({}, organization);
  await sql`alter table idempotency_keys rename to away`;
  const swept = poller();
  const logs = recordConsole();
  await swept.lanes();
  expect(logs()).toContain('"event":"job_failed","job":"idempotency_sweep"');
  await sql`alter table away rename to idempotency_keys`;
  const [daemon] =
    await sql`select lease_expires_at is not null as is_claimed from daemons where id = ${id}`;
  expect(daemon).toEqual({ is_claimed: true });
});

import { beforeAll, expect, test } from "vitest";
import { inline } from "../helpers/credentials.ts";
import { sql } from "../helpers/database.ts";
import { openFreshDatabase } from "../helpers/poller.ts";
import { changingNothing } from "../helpers/rows.ts";
import { openAudit } from "./helpers.ts";

let variables: Record<string, string>;

beforeAll(async () => {
  variables = await openFreshDatabase();
}, 60_000);

/**
 * Enough tags to exceed a maximum of fifty entries. With a maximum this small, every write checks
 * it.
 */
const tags = (prefix: string) =>
  Array.from({ length: 100 }, (_, number) => ({ name: `${prefix}${number}`, color: "Blue" }));

/** Changes the maximum in this database only. */
const allow = (maximum: number) =>
  sql`create or replace function app.maximum_audit_entries_of_day() returns bigint
  language sql immutable parallel safe return ${sql.unsafe(String(maximum))}`;

test("an organization can write a million entries per day", async () => {
  expect(await sql`select app.maximum_audit_entries_of_day()::int as maximum`).toEqual([
    { maximum: 1_000_000 },
  ]);
});

test("an organization at its daily maximum of entries cannot create anything more, but can still delete", async () => {
  const { organization, send, done } = await openAudit(variables);
  const created = await done<{ id: string }[]>("POST", "tags/bulk", tags("first"));
  await allow(50);
  // The write that reaches the maximum still succeeds.
  await done("POST", "tags", { name: "Last", color: "Blue" });
  const refused = await changingNothing(organization.id, () =>
    send("POST", "tags/bulk", tags("second")),
  );
  expect(refused).toMatchObject({
    status: 429,
    body: {
      code: "rate_limit_exceeded",
      error: expect.stringMatching(
        /wait \d+ seconds? before the next change.*deletions still work/,
      ),
      params: { limit: "audit_entries_of_organization" },
    },
  });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(23 * 3600);
  const [one, other] = created;
  const patches = [
    { id: one?.id, color: "Red" },
    { id: other?.id, color: "Red" },
  ];
  await changingNothing(organization.id, async () => {
    for (const answer of [
      await send("PATCH", "tags/bulk", patches),
      await send("PUT", "tags/by-external-id/one", { name: "Third" }),
    ]) {
      expect(answer).toMatchObject({
        status: 429,
        body: { params: { limit: "audit_entries_of_organization" } },
      });
    }
  });
  const ids = created.map(({ id }) => id);
  expect(await send("POST", "tags/bulk-delete", ids)).toMatchObject({ status: 200 });
});

test("a full log accepts no more entries from single or bulk requests until there is room", async () => {
  const { organization, send, done } = await openAudit(variables);
  const [tag] = await done<{ id: string }[]>("POST", "tags/bulk", tags("first"));
  await sql`insert into audit_entries (organization_id, at, action, entity, entity_id, label, changed, actor_type)
    select ${organization.id}, now() - interval '23 hours' - make_interval(secs => number / 2.0), 'updated', 'Tag',
      gen_random_uuid(), 'Earlier', '{name}', 'system'
    from generate_series(1, 5000) as number`;
  // One write in five checks the maximum.
  await allow(5000);
  const rename = (name: string) => send("PATCH", `tags/${tag?.id}`, { name });
  let written = 0;
  while ((await rename(`Tag ${written}`)).status === 200) {
    written++;
    expect(written).toBeLessThan(100);
  }
  for (let attempt = 0; attempt < 20; attempt++) {
    const refused = await rename("Refused");
    expect(refused.status).toBe(429);
    // 1,100 seconds until the oldest entry is a day old, plus half a second for each entry beyond
    // the 5,000.
    const retryAfter = Number(refused.headers.get("retry-after"));
    expect(retryAfter).toBeGreaterThan(1000);
    expect(retryAfter).toBeLessThanOrEqual(1200);
  }
  expect(await send("POST", "tags", { name: "Refused", color: "Blue" })).toMatchObject({
    status: 429,
  });
  expect(await send("DELETE", `tags/${tag?.id}`)).toMatchObject({ status: 200 });
  await sql`update app.full_audit_logs set until = now() where organization_id = ${organization.id}`;
  await allow(1_000_000);
  expect(await send("POST", "tags", { name: "Free", color: "Blue" })).toMatchObject({
    status: 201,
  });
  await sql`select app.sweep_audit_log(1)`;
  const left = sql`select from app.full_audit_logs where organization_id = ${organization.id}`;
  expect(await left).toEqual([]);
});

test("a request that detects twice that the log is full succeeds", async () => {
  const { organization, done } = await openAudit(variables);
  await done("POST", "tags/bulk", tags("first"));
  await allow(50);
  const { id } = await done("POST", "credentials", {
    organization_id: organization.id,
    name: "Community",
    credential_type: { type: "SnmpV2c", community: inline("public") },
    tags: [organization.tags[0]],
    assigned_network_ids: [organization.networks[0].id],
    host_assignments: [],
  });
  expect(id).toBeTypeOf("string");
  const full =
    await sql`select from app.full_audit_logs where organization_id = ${organization.id}`;
  expect(full.length).toBeGreaterThan(0);
});

test("entries older than a day do not count toward the maximum", async () => {
  const { organization, done } = await openAudit(variables);
  await done("POST", "tags/bulk", tags("first"));
  await sql`alter table audit_entries disable trigger refuse_change`;
  await sql`update audit_entries set at = at - interval '1 day' where organization_id = ${organization.id}`;
  await sql`alter table audit_entries enable trigger refuse_change`;
  await allow(50);
  await done("POST", "tags/bulk", tags("second"));
  // A write that reaches the maximum is accepted, but marks the log as full.
  const full = sql`select from app.full_audit_logs where organization_id = ${organization.id}`;
  expect(await full).toEqual([]);
});

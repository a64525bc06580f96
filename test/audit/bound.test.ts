import { beforeAll, expect, test } from "vitest";
import { sql } from "../helpers/database.ts";
import { openFreshDatabase } from "../helpers/poller.ts";
import { changingNothing } from "../helpers/rows.ts";
import { openAudit } from "./helpers.ts";

let variables: Record<string, string>;

beforeAll(async () => {
  variables = await openFreshDatabase();
}, 60_000);

/** Enough to exceed the bound of {@link allowFifty}, of which every look counts. */
const tags = (prefix: string) =>
  Array.from({ length: 100 }, (_, number) => ({ name: `${prefix}${number}`, color: "Blue" }));

/** In this database alone. */
const allowFifty =
  () => sql`create or replace function app.maximum_audit_entries_of_day() returns bigint
  language sql immutable parallel safe return 50`;

test("the most entries of a day are a million", async () => {
  expect(await sql`select app.maximum_audit_entries_of_day()::int as maximum`).toEqual([
    { maximum: 1_000_000 },
  ]);
});

test("an organization that has written the entries of a day creates nothing more, and still deletes", async () => {
  const { organization, send, done } = await openAudit(variables);
  const created = await done<{ id: string }[]>("POST", "tags/bulk", tags("first"));
  await allowFifty();
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
  const ids = created.map(({ id }) => id);
  expect(await send("POST", "tags/bulk-delete", ids)).toMatchObject({ status: 200 });
});

test("entries that are older than a day count no more", async () => {
  const { organization, send, done } = await openAudit(variables);
  await done("POST", "tags/bulk", tags("first"));
  await sql`alter table audit_entries disable trigger refuse_change`;
  await sql`update audit_entries set at = at - interval '1 day' where organization_id = ${organization.id}`;
  await sql`alter table audit_entries enable trigger refuse_change`;
  await allowFifty();
  expect(await send("POST", "tags/bulk", tags("second"))).toMatchObject({ status: 201 });
});

import { sql as statement } from "drizzle-orm";
import { beforeAll, beforeEach, expect, inject, test } from "vitest";
import { type ClaimedWebhook, claimDueWebhooks } from "../../src/changes/deliveries/claims.ts";
import { runAsPoller } from "../../src/database/poller.ts";
import { sql } from "../helpers/database.ts";
import { openFreshDatabase } from "../helpers/poller.ts";
import { openWebhooks } from "../helpers/webhooks.ts";

let variables: Record<string, string>;

beforeAll(async () => {
  variables = await openFreshDatabase();
}, 60_000);

beforeEach(async () => {
  await sql`delete from organizations`;
});

const nobody = "00000000-0000-0000-0000-000000000000";
const webhookCount = 1000;
const cycles = 8;

/** The control: the claim without its lock. */
const claimWithoutLock: typeof claimDueWebhooks = (database, _after, limit) =>
  database.execute<ClaimedWebhook>(statement`
    with due as (
      select id from webhooks where lease_expires_at is null or lease_expires_at <= now() limit ${limit})
    update webhooks as webhook set lease_expires_at = now() + interval '5 minutes',
      delivery_generation = webhook.delivery_generation + 1
    from due where webhook.id = due.id
    returning webhook.id`);

/** Lets eight cycles claim at the same time. Returns the number of repeated claims. */
async function claimedTwice(claim: typeof claimDueWebhooks): Promise<number> {
  const hooks = await openWebhooks(variables);
  await hooks.create({ url: "http://127.0.0.1:9/" });
  await sql`
    insert into webhooks (organization_id, id, name, url, secret_hint, position_at, position_entity,
      position_id)
    select organization_id, gen_random_uuid(), name, url, secret_hint, position_at, position_entity,
      position_id
    from webhooks, generate_series(2, ${webhookCount})`;
  await hooks.addHost("host");
  const run = async (): Promise<string[]> => {
    const claimed: string[] = [];
    for (;;) {
      const [{ rows }] = await runAsPoller(hooks.settings, (database) => [
        claim(database, nobody, 20),
      ]);
      if (rows.length === 0) {
        return claimed;
      }
      claimed.push(...rows.map(({ id }) => id));
    }
  };
  const claims = (await Promise.all(Array.from({ length: cycles }, run))).flat();
  expect(new Set(claims).size).toBe(webhookCount);
  return claims.length - webhookCount;
}

// With one connection, claims do not overlap, so this test needs TEST_DATABASE_URL.
test.skipIf(!inject("isRealPostgres"))(
  "eight concurrent cycles claim each webhook once, and a naive claim does not",
  async () => {
    expect(await claimedTwice(claimDueWebhooks)).toBe(0);
    await sql`delete from organizations`;
    expect(await claimedTwice(claimWithoutLock)).toBeGreaterThan(0);
  },
  60_000,
);

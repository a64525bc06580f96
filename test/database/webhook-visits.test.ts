import { expect, test } from "vitest";
import { sql } from "../helpers/database.ts";
import { mintPopulatedOrganization } from "../helpers/populated-organization.ts";

const becomePoller = () => sql`select set_config('role', 'inventory_poller', true)`;
const becomeApi = () => sql`select set_config('role', 'inventory_api', true)`;

/** The SQLSTATE of a transaction that fails, or null if it succeeds. */
const sqlstateOf = (transaction: Promise<unknown>): Promise<unknown> =>
  transaction.then(
    () => null,
    (error: { code?: string }) => error.code,
  );

/** A leased webhook whose position is before all changes in its network. */
async function arrange() {
  const organization = await mintPopulatedOrganization();
  const webhook = organization.records.webhooks;
  await sql`
    update webhooks set disabled_reason = null, delivery_generation = 7,
      lease_expires_at = now() + interval '1 minute'
    where id = ${webhook}`;
  const next = (generation = 7) =>
    sql`select * from app.next_delivery(${organization.id}, ${webhook}, ${generation}, true, true)`;
  return { organization, webhook, next };
}

test("reads only changes of the webhook's organization and networks", async () => {
  const { organization, next } = await arrange();
  const [, rows] = await sql.transaction([becomePoller(), next()]);
  const [{ changes } = { changes: null }] = rows as { changes: { network_id: string }[] | null }[];
  const networks = new Set(changes?.map(({ network_id }) => network_id));
  expect([...networks]).toEqual([organization.network.id]);
});

test("a visit leaves no trace after it has read the changes, even within its transaction", async () => {
  const { next } = await arrange();
  const [, , , seen] = await sql.transaction([
    becomePoller(),
    next(),
    sql`select set_config('role', 'none', true)`,
    sql`select (select count(*)::int from app.webhook_visits) as visits, app.organization_id() as organization, app.reaches_all_networks() as everywhere`,
  ]);
  expect(seen).toMatchObject([{ visits: 0, organization: null, everywhere: false }]);
});

test("does not read anything without the lease", async () => {
  const { webhook, next } = await arrange();
  const [, other] = await sql.transaction([becomePoller(), next(6)]);
  expect(other).toEqual([]);
  await sql`update webhooks set lease_expires_at = now() where id = ${webhook}`;
  const [, late] = await sql.transaction([becomePoller(), next()]);
  expect(late).toEqual([]);
});

test("the API cannot read secrets or take deliveries, and the poller cannot write visits", async () => {
  const { organization, webhook, next } = await arrange();
  const visit = sql`
    insert into app.webhook_visits (organization_id) values (${organization.id})`;
  for (const attempt of [
    next(),
    visit,
    sql`select from webhook_secrets`,
    sql`select app.set_retry_time(${organization.id}, ${webhook})`,
    sql`select app.sweep_webhook_deliveries(1)`,
    sql`update webhooks set last_error = null`,
    sql`delete from webhook_deliveries`,
  ]) {
    expect(await sqlstateOf(sql.transaction([becomeApi(), attempt]))).toBe("42501");
  }
  for (const attempt of [
    visit,
    sql`select from hosts`,
    sql`select from app.visited_changes(null, null, null)`,
    sql`update webhooks set url = 'https://thief.example.com/'`,
    sql`update webhook_secrets set sealed = 'demo.AAAA'`,
    sql`select from webhook_deliveries`,
  ]) {
    expect(await sqlstateOf(sql.transaction([becomePoller(), attempt]))).toBe("42501");
  }
});

import { beforeAll, beforeEach, expect, test } from "vitest";
import { pollMessageSchema } from "../../../../src/daemons/poller/claim/cycle.ts";
import { daemonRow, leaseDaemon, raiseDaemon } from "../../../helpers/daemons.ts";
import { sql } from "../../../helpers/database.ts";
import { mintDueDaemons, mintOrganization } from "../../../helpers/organization.ts";
import { openFreshDatabase, openPoller } from "../../../helpers/poller.ts";

let variables: Record<string, string>;

beforeAll(async () => {
  variables = await openFreshDatabase();
}, 60_000);

beforeEach(async () => {
  await sql`delete from organizations`;
});

const open = (more: Record<string, unknown> = {}) => openPoller({ ...variables, ...more });

/** Returns the number of daemons per organization in each message. */
async function organizationsOf(messages: unknown[]): Promise<Record<string, number>[]> {
  const rows = await sql`select id, organization_id from daemons`;
  const owners = new Map(rows.map((row) => [String(row["id"]), String(row["organization_id"])]));
  return messages.map((message) => {
    const counts: Record<string, number> = {};
    for (const { id } of pollMessageSchema.parse(message).daemons) {
      const owner = owners.get(id) ?? "";
      counts[owner] = (counts[owner] ?? 0) + 1;
    }
    return counts;
  });
}

test("each message contains daemons of only one organization", async () => {
  const poller = open();
  const organizations = [await mintOrganization(), await mintOrganization()];
  for (const organization of organizations) {
    await mintDueDaemons(organization, 30);
  }
  const messages = await organizationsOf(await poller.cycle());
  expect(messages).toHaveLength(2);
  expect(messages).toEqual(expect.arrayContaining(organizations.map(({ id }) => ({ [id]: 30 }))));
});

test("a small organization's daemons are claimed before a large organization's second hundred", async () => {
  const poller = open();
  const many = await mintOrganization();
  const few = [await mintOrganization(), await mintOrganization(), await mintOrganization()];
  await mintDueDaemons(many, 1500, "1 hour");
  for (const organization of few) {
    await mintDueDaemons(organization, 3);
  }
  const messages = await organizationsOf(await poller.cycle());
  const first = messages.slice(0, 4);
  expect(first).toEqual(
    expect.arrayContaining([{ [many.id]: 100 }, ...few.map(({ id }) => ({ [id]: 3 }))]),
  );
});

test("a cycle claims no more than the maximum number of daemons per organization, starting with those that have been due longest", async () => {
  const poller = open({ MAX_DAEMONS_PER_ORGANIZATION: "250" });
  const organization = await mintOrganization();
  await mintDueDaemons(organization, 250, "1 hour");
  await mintDueDaemons(organization, 51, "1 minute");
  expect(await organizationsOf(await poller.cycle())).toEqual([
    { [organization.id]: 100 },
    { [organization.id]: 100 },
    { [organization.id]: 50 },
  ]);
  const left = await sql`select count(*)::int as count from daemons
    where lease_expires_at is null and next_poll_at > now() - interval '30 minutes'`;
  expect(left).toEqual([{ count: 51 }]);
  expect(await organizationsOf(await poller.cycle())).toEqual([{ [organization.id]: 51 }]);
});

test("a result is recorded before the slowest daemon in its message responds", async () => {
  const poller = open();
  const organization = await mintOrganization();
  const [slow, healthy] = [raiseDaemon(), raiseDaemon()];
  await slow.behave({ kind: "hold" });
  const slowId = await poller.mintDaemon({ url: slow.url }, organization);
  const id = await poller.mintDaemon({ url: healthy.url }, organization);
  const polled = poller.poll(await leaseDaemon(slowId), await leaseDaemon(id));
  await expect
    .poll(() => daemonRow(id), { timeout: 5000 })
    .toMatchObject({ version: "0.14.2", lease_expires_at: null });
  expect(await daemonRow(slowId)).toMatchObject({ version: null });
  await slow.release();
  await polled;
  expect(await daemonRow(slowId)).toMatchObject({ version: "0.14.2", lease_expires_at: null });
});

test("a daemon with a generation beyond 32 bits is claimed like any other daemon", async () => {
  const poller = open();
  const organization = await mintOrganization();
  const ids = [
    await poller.mintDaemon({ poll_generation: 2 ** 31 - 1 }, organization),
    await poller.mintDaemon({ poll_generation: 2 ** 53 - 2 }, organization),
    await poller.mintDaemon({}, organization),
  ];
  const daemons = (await poller.cycle()).flatMap((sent) => pollMessageSchema.parse(sent).daemons);
  expect(new Map(daemons.map(({ id, poll_generation }) => [id, poll_generation]))).toEqual(
    new Map([
      [ids[0], 2 ** 31],
      [ids[1], 2 ** 53 - 1],
      [ids[2], 1],
    ]),
  );
});

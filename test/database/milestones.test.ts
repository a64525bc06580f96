import { describe, expect, inject, test } from "vitest";
import { sql } from "../helpers/database.ts";

/** An organization without records. */
async function mintEmpty(): Promise<string> {
  const id = crypto.randomUUID();
  await sql`insert into organizations (id, name, onboarding) values (${id}, 'Test', '{OrgCreated}')`;
  return id;
}

async function onboardingOf(id: string) {
  const [row] = await sql`select onboarding, revision::int from organizations where id = ${id}`;
  return row;
}

const insertNetwork = (id: string) =>
  sql`insert into networks (organization_id, name) values (${id}, 'Test')`;
const insertCredential = (id: string, type: string) =>
  sql`insert into credentials (organization_id, name, settings)
    values (${id}, 'Test', jsonb_build_object('type', ${type}::text))`;

test("milestones are reached in order, each only once", async () => {
  const id = await mintEmpty();
  const reached = ["OrgCreated"];
  const expectReached = async (...milestones: string[]) => {
    reached.push(...milestones);
    expect(await onboardingOf(id)).toEqual({ onboarding: reached, revision: reached.length });
  };
  await insertNetwork(id);
  await expectReached();
  const insertKey = () =>
    sql`insert into user_api_keys (organization_id, name, role) values (${id}, 'Test', 'Owner')`;
  await insertKey();
  await expectReached("FirstUserApiKeyCreated");
  await insertKey();
  await expectReached();
  await insertNetwork(id);
  await expectReached("SecondNetworkCreated");
  await insertNetwork(id);
  await expectReached();
  await sql`insert into tags (organization_id, name) values (${id}, 'one'), (${id}, 'two')`;
  await expectReached("FirstTagCreated");
  await insertCredential(id, "DockerSocket");
  await expectReached("FirstCredentialCreated");
  await insertCredential(id, "SnmpV2c");
  await expectReached("FirstSnmpCredentialCreated");
  await insertCredential(id, "SnmpV3");
  await expectReached();
  await sql`insert into daemons (organization_id, network_id, name, url)
    select ${id}, id, 'Test', 'https://daemon.example.com' from networks where organization_id = ${id}`;
  await expectReached("FirstDaemonRegistered");
});

test("if the first credential is for SNMP, it reaches two milestones at once", async () => {
  const id = await mintEmpty();
  await insertCredential(id, "SnmpV1");
  expect((await onboardingOf(id))?.["onboarding"]).toEqual([
    "OrgCreated",
    "FirstCredentialCreated",
    "FirstSnmpCredentialCreated",
  ]);
});

test("creating two networks in one statement reaches the milestone for the second network", async () => {
  const id = await mintEmpty();
  await sql`insert into networks (organization_id, name) values (${id}, 'one'), (${id}, 'two')`;
  expect((await onboardingOf(id))?.["onboarding"]).toEqual(["OrgCreated", "SecondNetworkCreated"]);
});

test("a transaction that is rolled back does not reach a milestone", async () => {
  const id = await mintEmpty();
  await expect(
    sql.transaction([
      sql`insert into tags (organization_id, name) values (${id}, 'one')`,
      sql`select 1 / 0`,
    ]),
  ).rejects.toThrow();
  expect(await onboardingOf(id)).toEqual({ onboarding: ["OrgCreated"], revision: 1 });
});

// PGlite has one connection, so its writers run one after the other. Set TEST_DATABASE_URL to run
// this test.
describe.skipIf(!inject("isRealPostgres"))("two concurrent transactions", () => {
  test("that each create a network reach the milestone for the second network", {
    timeout: 60_000,
  }, async () => {
    for (let round = 0; round < 10; round++) {
      const id = await mintEmpty();
      const insert = () => sql.transaction([insertNetwork(id), sql`select pg_sleep(0.05)`]);
      await Promise.all([insert(), insert()]);
      expect((await onboardingOf(id))?.["onboarding"]).toEqual([
        "OrgCreated",
        "SecondNetworkCreated",
      ]);
    }
  });
});

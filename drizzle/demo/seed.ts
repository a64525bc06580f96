import { eq, sql } from "drizzle-orm";
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import type pg from "pg";
import { hashApiKey, hintOf, mintApiKey } from "../../src/api-key.ts";
import { KeyRing } from "../../src/database/sealing.ts";
import * as schema from "../../src/database/tables/index.ts";
import { parseSealingKeys } from "../../src/env.ts";
import demo from "../demo.json" with { type: "json" };
import { demoStart, recently } from "./dates.ts";
import { demoId } from "./id.ts";
import { demoSealingKeys } from "./sealing-keys.ts";
import { seedBindings } from "./seed-bindings.ts";
import { seedCredentials } from "./seed-credentials.ts";
import { seedAbsentDaemon } from "./seed-daemons.ts";
import { seedInventory } from "./seed-inventory.ts";
import { seedWaitingSession } from "./seed-sessions.ts";

const demoTags = [
  { name: "infrastructure", description: "Required by everything else", color: "Blue" },
  { name: "storage", description: "Data storage", color: "Amber" },
  { name: "containers", description: null, color: "Teal" },
] as const;

const organization_id = demo.organization.id;
const times = { created_at: demoStart, updated_at: demoStart };

/**
 * Adds the demo organizations to a local database atomically, unless they exist. The daemons that
 * are polled are not included: see `provisionDemoDaemons`.
 * @returns true if it added them @throws if the database is not on this machine
 */
export async function seedDemo(client: pg.PoolClient | pg.Client): Promise<boolean> {
  if (!(await isLocal(client))) {
    throw new Error("Demo data is for a database on this machine only.");
  }
  return drizzle({ client }).transaction(async (database) => {
    const known = await database
      .select({ id: schema.organizations.id })
      .from(schema.organizations)
      .where(eq(schema.organizations.id, organization_id));
    const isNew = known.length === 0;
    if (isNew) {
      await seedOrganizations(database);
      await seedNetworks(database);
      const lastSeen = new Date(Date.now() - recently).toISOString();
      await seedInventory(database, { organization_id, lastSeen });
      await seedBindings(database, { organization_id, lastSeen });
      const ring = new KeyRing(parseSealingKeys(demoSealingKeys));
      await seedCredentials(database, organization_id, ring);
      await seedAbsentDaemon(database, ring);
      await seedTagged(database);
      await seedWaitingSession(database);
    }
    return isNew;
  });
}

/**
 * Demo keys are public, so they must never grant access to a database with real data. Both ends
 * must be local: a local name could belong to a tunnel, and a local server address could belong to
 * a pooler.
 */
async function isLocal(client: pg.PoolClient | pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ is_local: boolean }>(
    // Null for a socket or an embedded database.
    "select coalesce(inet_server_addr() <<= '127.0.0.0/8' or inet_server_addr() = '::1', true) as is_local",
  );
  const isLocalName = /^(localhost|127(\.\d{1,3}){3}|::1|\/.*)$/.test(client.host);
  return isLocalName && rows[0]?.is_local === true;
}

async function seedOrganizations(database: NodePgDatabase): Promise<void> {
  await database.insert(schema.organizations).values([
    {
      ...times,
      ...demo.organization,
      onboarding: [
        "OrgCreated",
        "OnboardingModalCompleted",
        "FirstDaemonRegistered",
        "FirstDiscoveryCompleted",
        "FirstHostDiscovered",
        "SecondNetworkCreated",
        "FirstTagCreated",
        "FirstUserApiKeyCreated",
        "FirstSnmpCredentialCreated",
        "FirstCredentialCreated",
      ],
      plan: {
        type: "Community",
        base_cents: 0,
        rate: "Month",
        trial_days: 0,
        seat_cents: null,
        network_cents: null,
        host_cents: null,
        included_seats: null,
        included_networks: null,
        included_hosts: null,
      },
      plan_status: "active",
      use_case: "homelab",
    },
    { ...times, ...demo.other.organization, onboarding: ["OrgCreated", "FirstUserApiKeyCreated"] },
  ]);
  const keys = [
    { key: demo.keys.owner, name: "Dana, owner", role: "Owner", organization_id },
    { key: demo.keys.admin, name: "Terraform", role: "Admin", organization_id },
    { key: demo.keys.member, name: "Provisioning script", role: "Member", organization_id },
    { key: demo.keys.viewer, name: "Dashboard", role: "Viewer", organization_id },
    // The key that the reference's examples use. It has no plaintext.
    {
      id: demo.backup_key.id,
      key: mintApiKey(),
      name: demo.backup_key.name,
      role: "Viewer",
      organization_id,
    },
    {
      key: demo.other.keys.owner,
      name: "Front desk",
      role: "Owner",
      organization_id: demo.other.organization.id,
    },
  ] as const;
  for (const { key, name, role, organization_id, ...rest } of keys) {
    const key_hash = await hashApiKey(key);
    const id = "id" in rest ? rest.id : demoId(key);
    const key_hint = hintOf(key);
    await database
      .insert(schema.userApiKeys)
      .values({ ...times, id, organization_id, name, key_hint, role });
    await database
      .insert(schema.userApiKeySecrets)
      .values({ organization_id, api_key_id: id, key_hash });
  }
  const { id, name, key } = demo.operator_key;
  await database.execute(sql`
    insert into app.operator_keys (id, created_at, name, key_hash, key_hint)
    values (${id}, ${demoStart}, ${name}, decode(${await hashApiKey(key)}, 'hex'), ${hintOf(key)})`);
}

async function seedNetworks(database: NodePgDatabase): Promise<void> {
  await database
    .insert(schema.networks)
    .values(
      demo.networks.map(({ tag, ...network }) => ({ ...times, ...network, organization_id })),
    );
  await database
    .insert(schema.tags)
    .values(
      demoTags.map((tag) => ({ ...times, ...tag, id: demoId(`tag ${tag.name}`), organization_id })),
    );
  await database.insert(schema.networkTags).values(
    demo.networks.map(({ id, tag }) => ({
      organization_id,
      network_id: id,
      tag_id: demoId(`tag ${tag}`),
    })),
  );
}

/**
 * Tags one record of each kind, so that the reference's requests with a tag filter return results.
 */
async function seedTagged(database: NodePgDatabase): Promise<void> {
  const tagged = { organization_id, tag_id: demoId("tag infrastructure") };
  const always = { ...tagged, valid_from: times.created_at };
  await database.insert(schema.hostTags).values({ ...always, host_id: demoId("host nas") });
  await database
    .insert(schema.serviceTags)
    .values({ ...always, service_id: demoId("service nas Samba") });
  await database
    .insert(schema.subnetTags)
    .values({ ...always, subnet_id: demoId("subnet Home 192.168.1.0/24") });
  await database.insert(schema.daemonTags).values({ ...tagged, daemon_id: demo.absent_daemon.id });
}

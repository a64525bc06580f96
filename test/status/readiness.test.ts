import { afterEach, expect, test } from "vitest";
import { newestMigration } from "../../src/database/readiness.ts";
import { KeyRing, type Place, tokenPlace } from "../../src/database/sealing.ts";
import { credentialSecrets } from "../../src/database/tables/index.ts";
import { parseSealingKeys } from "../../src/env.ts";
import { storedStatements } from "../../src/stored-statements.ts";
import { seen, succeeded, unavailable } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { recordConsole } from "../helpers/console.ts";
import { database, refusalOf, sql } from "../helpers/database.ts";
import { mintCredential, mintDaemon, mintOrganization } from "../helpers/organization.ts";
import { openFreshDatabase } from "../helpers/poller.ts";

// Readiness checks the records of all organizations, so it needs a database without those of other
// tests.
const fresh = await openFreshDatabase();

const keyOf = (name: string, byte: number) =>
  `${name}:${btoa(String.fromCharCode(...new Uint8Array(32).fill(byte)))}`;
const [first, second] = [keyOf("first", 1), keyOf("second", 2)];
const ring = (...keys: string[]) => ({ ...fresh, SEALING_KEYS: keys.join(",") });

const sealedBy = (key: string, place: Place) =>
  new KeyRing(parseSealingKeys(key)).seal("a secret", place);

/** Stores a credential's secret that is sealed with the given key. */
async function storeSecret(key: string): Promise<void> {
  const { id: organization_id } = await mintOrganization();
  const credential_id = await mintCredential(organization_id);
  for (const field of ["auth_password", "priv_password"]) {
    const sealed = await sealedBy(key, {
      record: "credential",
      organization_id,
      id: credential_id,
      field,
    });
    await database
      .insert(credentialSecrets)
      .values({ organization_id, credential_id, field, sealed });
  }
}

/** Stores a daemon whose token is sealed with the given key. */
async function storeToken(key: string): Promise<void> {
  const { id, networks } = await mintOrganization();
  const daemon = await mintDaemon(id, networks[0].id);
  const sealed = await sealedBy(key, tokenPlace(id, daemon, "https://daemon.example.com"));
  await sql`update daemon_secrets set sealed = ${sealed} where daemon_id = ${daemon}`;
}

afterEach(async () => {
  await sql`delete from organizations`;
});

async function expectReady(variables: Record<string, string>): Promise<void> {
  const api = openApi(variables);
  expect(seen(await api.send("GET", "/api/health/ready"))).toEqual(succeeded({ status: "ok" }));
  expect(await api.calls()).toBe(1);
}

async function expectNotReady(variables: Record<string, string>, line: object): Promise<void> {
  const api = openApi(variables);
  const logs = recordConsole();
  expect(seen(await api.send("GET", "/api/health/ready"))).toEqual(unavailable);
  // If a test records the console twice, the lines of both recordings are returned.
  expect(JSON.parse(logs().split("\n").at(-1) ?? "")).toMatchObject({ status: 503, ...line });
  expect(await api.calls()).toBe(1);
}

test("an empty database is ready", async () => {
  await expectReady(ring(first));
});

const stored = [
  { what: "a credential's secret", store: storeSecret },
  { what: "a daemon's token", store: storeToken },
];

test.each(stored)(
  "a database with $what is ready if its key is at any position in the ring",
  async ({ store }) => {
    await store(first);
    await store(second);
    await store(second);
    await expectReady(ring(first, second));
    await expectReady(ring(second, keyOf("third", 3), first));
  },
);

test.each(stored)("a database with $what is not ready without its key", async ({ store }) => {
  await store(first);
  await store(second);
  await expectNotReady(ring(first), { reason: "sealing_key_missing" });
  await expectNotReady(ring(second), { reason: "sealing_key_missing" });
  await expectNotReady(ring(keyOf("firs", 1), second), { reason: "sealing_key_missing" });
});

test("a database is not ready if a credential's secret was sealed with a different key of the same name", async () => {
  await storeSecret(first);
  await storeSecret(second);
  await expectNotReady(ring(first, keyOf("second", 3)), { reason: "sealing_key_wrong" });
  await expectNotReady(ring(keyOf("first", 3), second), { reason: "sealing_key_wrong" });
});

test("a token that cannot be opened does not affect readiness", async () => {
  await storeToken(first);
  await expectReady(ring(keyOf("first", 3)));
});

test("checks 20 key names of each kind", async () => {
  const keys = Array.from({ length: 20 }, (_, index) => keyOf(`key-${index + 10}`, index));
  for (const key of keys) {
    await storeSecret(key);
    await storeToken(key);
  }
  await expectReady(ring(...keys));
  await expectNotReady(ring(...keys.slice(0, -1)), { reason: "sealing_key_missing" });
});

test("a database that lacks the newest migration is not ready", async () => {
  await sql`update drizzle.__drizzle_migrations set created_at = ${newestMigration - 1}
    where created_at = ${newestMigration}`;
  await expectNotReady(ring(first), { reason: "schema", sqlstate: null });
  await sql`update drizzle.__drizzle_migrations set created_at = ${newestMigration}
    where created_at = ${newestMigration - 1}`;
  await expectReady(ring(first));
});

test("a database with the schema of a later version is ready", async () => {
  await sql`insert into drizzle.__drizzle_migrations (hash, created_at)
    values ('later', ${newestMigration + 1})`;
  await expectReady(ring(first));
  await sql`delete from drizzle.__drizzle_migrations where hash = 'later'`;
});

test("a database that lacks a function of a stored statement is not ready", async () => {
  const name = storedStatements()[0]?.name ?? "";
  await sql.query(`alter function app.${name}(uuid) rename to elsewhere`);
  await expectNotReady(ring(first), { reason: "schema" });
  await sql.query(`alter function app.elsewhere(uuid) rename to ${name}`);
  await expectReady(ring(first));
});

test("a database without a schema is not ready", async () => {
  await sql`alter schema app rename to elsewhere`;
  await expectNotReady(ring(first), { reason: "schema", sqlstate: "3F000" });
  await sql`alter schema elsewhere rename to app`;
  await expectReady(ring(first));
});

test.each(["inventory_api", "inventory_poller"])(
  "the role %s, in which queries run, cannot read samples of ciphertext",
  async (role) => {
    const refused = sql.transaction([
      sql`select set_config('role', ${role}, true)`,
      sql`select app.readiness()`,
    ]);
    expect(await refusalOf(refused)).toMatchObject({ code: "42501" });
  },
);

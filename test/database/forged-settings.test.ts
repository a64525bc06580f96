import { beforeAll, describe, expect, test } from "vitest";
import { hashApiKey } from "../../src/api-key.ts";
import { abortionOf, becomeApi, enter, refusalOf, sql } from "../helpers/database.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";
import { tableNames } from "../helpers/rows.ts";
import { mintTokenWithSecret } from "../helpers/tokens.ts";

/**
 * Tables that the API cannot read. Only functions read hashes of keys and tokens, and claims. Only
 * the poller reads daemons' tokens, and no role reads the ciphertext of credentials.
 */
const closedTables = [
  "credential_secrets",
  "daemon_secrets",
  "idempotency_keys",
  "user_api_key_secrets",
  "user_api_tokens",
  "webhook_secrets",
];

let victim: PopulatedOrganization;
let tables: string[];

beforeAll(async () => {
  victim = await mintPopulatedOrganization();
  tables = (await tableNames()).filter((table) => !closedTables.includes(table));
});

const set = (name: string, value: string) => sql`select set_config(${name}, ${value}, true)`;
const count = (table: string) => sql.query(`select count(*)::int as count from ${table}`);

/** For each table, the number of rows that are visible with these settings. */
async function countsWith(settings: Record<string, string>): Promise<Record<string, unknown>> {
  const before = Object.entries(settings).map(([name, value]) => set(name, value));
  const answers = await sql.transaction([...before, becomeApi(), ...tables.map(count)]);
  const counts = answers.slice(before.length + 1);
  return Object.fromEntries(
    tables.map((table, position) => [table, counts[position]?.[0]?.["count"]]),
  );
}

test.each(closedTables)("the API's role cannot read %s", async (table) => {
  const attempt = sql.transaction([becomeApi(), count(table)]);
  expect(await refusalOf(attempt)).toMatchObject({ code: "42501" });
});

const nothing = () => Object.fromEntries(tables.map((table) => [table, 0]));

test("settings that name an organization do not reveal any of its rows", async () => {
  const [key] = await sql`
    select api_key_id as id, encode(key_hash, 'hex') as hash from user_api_key_secrets
    where organization_id = ${victim.id} limit 1`;
  const forged = {
    "app.organization_id": victim.id,
    "app.network_ids": "",
    "app.key_id": String(key?.["id"]),
  };
  expect(await countsWith(forged)).toEqual(nothing());
  expect(await countsWith({ ...forged, "app.network_ids": `{${victim.network.id}}` })).toEqual(
    nothing(),
  );
  expect(await countsWith({ ...forged, "app.key_hash": "" })).toEqual(nothing());
});

test("without a key, no network is accessible", async () => {
  const [, [reach] = []] = await sql.transaction([
    becomeApi(),
    sql`select app.organization_id() as organization_id, app.reaches_all_networks() as all,
      app.network_ids() as network_ids`,
  ]);
  expect(reach).toEqual({ organization_id: null, all: false, network_ids: [] });
});

test.each([
  ["a deleted key", {}],
  ["a disabled key", { is_enabled: false }],
  ["an expired key", { expires_at: "2026-01-01T00:00:00Z" }],
])("the hash of %s does not give access to any table", async (_, values) => {
  const key = await mintKey(victim.id, { role: "Owner", ...values });
  const hash = await hashApiKey(key);
  if (Object.keys(values).length === 0) {
    await sql`delete from user_api_key_secrets where key_hash = decode(${hash}, 'hex')`;
  }
  for (const table of tables) {
    const attempt = sql.transaction([set("app.key_hash", hash), becomeApi(), count(table)]);
    expect(await refusalOf(attempt), table).toMatchObject({ code: "INV01" });
  }
});

test("a key that is disabled after it has passed the gate gives no further access", async () => {
  const key = await mintKey(victim.id);
  const hash = await hashApiKey(key);
  const seen = () => sql.transaction([set("app.key_hash", hash), becomeApi(), count("bindings")]);
  expect((await seen())[2]).toEqual([{ count: 1 }]);
  await sql`update user_api_keys set is_enabled = false where id = (
    select api_key_id from user_api_key_secrets where key_hash = decode(${hash}, 'hex'))`;
  expect(await refusalOf(seen())).toMatchObject({ code: "INV01" });
});

test("the API's role cannot read a hash, since it could use one to impersonate a key", async () => {
  for (const statement of [
    "select key_hash from user_api_key_secrets",
    "select app.presented_key()",
    "select * from app.presented_key()",
    "select token_hash from user_api_tokens",
    "select * from app.presented_token()",
  ]) {
    const attempt = sql.transaction([becomeApi(), sql.query(statement)]);
    expect(await refusalOf(attempt), statement).toMatchObject({ code: "42501" });
  }
});

describe("a token", () => {
  test("gives access to its own networks only, regardless of other settings", async () => {
    const [first, second] = victim.networks;
    const key = await mintKey(victim.id, { role: "Owner" });
    const { secret } = await mintTokenWithSecret(key, { role: "Viewer", network_ids: [second.id] });
    const [, , , rights] = await sql.transaction([
      set("app.key_hash", await hashApiKey(secret)),
      set("app.network_ids", `{${first.id}}`),
      becomeApi(),
      sql`select app.organization_id() as organization, app.key_role() as role,
        app.reaches_all_networks() as all, app.network_ids() as networks,
        (select array_agg(distinct network_id) from hosts) as seen`,
    ]);
    expect(rights).toEqual([
      {
        organization: victim.id,
        role: "Viewer",
        all: false,
        networks: [second.id],
        seen: [second.id],
      },
    ]);
  });

  test("does not give access to a network of another organization that its row lists", async () => {
    const other = await mintOrganization();
    const { secret } = await mintTokenWithSecret(victim.keys.owner, {
      network_ids: [other.networks[0].id],
    });
    const [, , rights] = await sql.transaction([
      set("app.key_hash", await hashApiKey(secret)),
      becomeApi(),
      sql`select app.network_ids() as networks, (select count(*)::int from hosts) as hosts`,
    ]);
    expect(rights).toEqual([{ networks: [], hosts: 0 }]);
  });

  test.each([
    ["expired", "update user_api_tokens set expires_at = now()"],
    ["deleted", "delete from user_api_tokens"],
  ])("that is %s does not give access to any table", async (_, end) => {
    const { secret } = await mintTokenWithSecret(await mintKey(victim.id, { role: "Owner" }));
    const hash = await hashApiKey(secret);
    await sql.query(`${end} where token_hash = decode($1, 'hex')`, [hash]);
    for (const table of tables) {
      const attempt = sql.transaction([set("app.key_hash", hash), becomeApi(), count(table)]);
      expect(await refusalOf(attempt), table).toMatchObject({ code: "INV01" });
    }
  });

  test("does not give access once its key is disabled, although its row is unchanged", async () => {
    const key = await mintKey(victim.id, { role: "Owner" });
    const { secret } = await mintTokenWithSecret(key);
    const hash = await hashApiKey(secret);
    const seen = () => sql.transaction([set("app.key_hash", hash), becomeApi(), count("bindings")]);
    expect((await seen())[2]).toEqual([{ count: 1 }]);
    await sql`update user_api_keys set is_enabled = false where id = (
      select api_key_id from user_api_key_secrets
      where key_hash = sha256(convert_to(${key}, 'UTF8')))`;
    expect(await refusalOf(seen())).toMatchObject({ code: "INV01" });
  });

  test("cannot be found by the hash of the signed token or of its claims", async () => {
    const key = await mintKey(victim.id, { role: "Owner" });
    const { token } = await mintTokenWithSecret(key);
    for (const text of [token, token.split(".")[1] ?? ""]) {
      const attempt = sql.transaction([
        set("app.key_hash", await hashApiKey(text)),
        becomeApi(),
        count("hosts"),
      ]);
      expect(await refusalOf(attempt)).toMatchObject({ code: "INV01" });
    }
  });

  test("cannot be issued, written or deleted by the API's role without a key", async () => {
    for (const statement of [
      `insert into user_api_tokens (organization_id, api_key_id, key_hash, token_hash, role, subject, expires_at)
       values ('${victim.id}', '${victim.limited_key_id}', sha256('a'), sha256('b'), 'Owner', 'me', now() + '1 hour')`,
      "update user_api_tokens set role = 'Owner'",
      "delete from user_api_tokens",
    ]) {
      const attempt = sql.transaction([becomeApi(), sql.query(statement)]);
      expect(await refusalOf(attempt), statement).toMatchObject({ code: "42501" });
    }
    const issue = sql`select app.issue_token(sha256('b'), 'Viewer', 'me', null, 60)`;
    expect(await refusalOf(sql.transaction([becomeApi(), issue]))).toMatchObject({ code: "INV01" });
  });

  test("cannot be issued by a Viewer's key or by a token, even with statements of one's own", async () => {
    const issue = sql`select app.issue_token(sha256('b'), 'Viewer', 'me', null, 60)`;
    const viewer = sql.transaction([enter(victim.keys.viewer), issue]);
    expect((await abortionOf(viewer)).detail).toMatchObject({ code: "auth_permission_denied" });
    const { secret } = await mintTokenWithSecret(victim.keys.owner);
    const token = sql.transaction([enter(secret), issue]);
    expect((await abortionOf(token)).detail).toMatchObject({
      code: "auth_scope_denied",
      params: { reason: "token" },
    });
  });
});

// A deployment migrates before it replaces the Worker: meanwhile the version before uses this schema.
import { NeonDbError } from "@neondatabase/serverless";
import { expect, test } from "vitest";
import migration from "../../drizzle/migrations/0004_hardening.sql?raw";
import { hashApiKey, mintApiKey } from "../../src/api-key.ts";
import { sql } from "../helpers/database.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";

/** The gate as the Worker before migration `hardening` sends it, word for word. */
const gate = `
  select set_config('role', 'inventory_api', true), entered.key_id, entered.organization_id
  from app.enter(decode($1, 'hex'), $2, $3) as entered`;

/** Runs the gate, then statements behind it, as one transaction. */
async function enter(key: string, role: string, ...statements: string[]) {
  const hash = await hashApiKey(key);
  return await sql.transaction([
    sql.query(gate, [hash, role, 8000]),
    ...statements.map((statement) => sql.query(statement)),
  ]);
}

/** What that Worker reads of a refusal: the detail of `app.abort`. */
async function refusalOf(key: string, role: string): Promise<unknown> {
  try {
    await enter(key, role);
  } catch (error) {
    if (error instanceof NeonDbError && error.code === "INV01") {
      return JSON.parse(error.detail ?? "");
    }
    throw error;
  }
  throw new Error("the gate let the key in");
}

test("the previous version's gate lets a good key in and shows its organization alone", async () => {
  await mintOrganization();
  const { id, keys } = await mintOrganization();
  expect(
    await enter(keys.viewer, "Viewer", "select id from organizations", "select current_user"),
  ).toEqual([
    [{ set_config: "inventory_api", key_id: expect.any(String), organization_id: id }],
    [{ id }],
    [{ current_user: "inventory_api" }],
  ]);
});

test("the previous version's gate shows a key limited to networks those alone", async () => {
  const { id, networks } = await mintOrganization();
  const key = await mintKey(id, {}, [networks[1].id]);
  const [, seen] = await enter(key, "Viewer", "select id from networks");
  expect(seen).toEqual([{ id: networks[1].id }]);
});

test("the previous version's gate refuses in the words that it knows", async () => {
  const { id, keys } = await mintOrganization();
  const caller = { key_id: expect.any(String), organization_id: id };
  expect(await refusalOf(mintApiKey(), "Viewer")).toEqual({
    code: "auth_not_authenticated",
    params: {},
    key_id: null,
    organization_id: null,
  });
  const expires_at = "2026-01-02T03:04:05.060Z";
  expect(await refusalOf(await mintKey(id, { expires_at }), "Viewer")).toEqual({
    code: "auth_key_expired",
    params: { expired_at: expires_at },
    ...caller,
  });
  expect(await refusalOf(await mintKey(id, { is_enabled: false }), "Viewer")).toEqual({
    code: "auth_key_disabled",
    params: {},
    ...caller,
  });
  expect(await refusalOf(keys.viewer, "Admin")).toEqual({
    code: "auth_permission_denied",
    params: { required_role: "Admin", role: "Viewer" },
    ...caller,
  });
});

test("the migration lets a login pass the new gate that could pass the old one, and no other", async () => {
  const suffix = crypto.randomUUID().replaceAll("-", "");
  const [admitted, other] = [`admitted_${suffix}`, `other_${suffix}`];
  const carryOver = migration
    .split("--> statement-breakpoint")
    .find((statement) => statement.includes("grant execute on function app.enter"));
  const results = await sql.transaction([
    sql.query(`create role ${admitted} noinherit`),
    sql.query(`create role ${other} noinherit`),
    sql.query(
      `create function app.enter(bytea, role, integer) returns int language sql as 'select 1'`,
    ),
    sql.query("revoke execute on function app.enter(bytea, role, integer) from public"),
    sql.query(`grant execute on function app.enter(bytea, role, integer) to ${admitted}`),
    sql.query(carryOver ?? ""),
    sql.query(
      `select role, has_function_privilege(role, 'app.enter(bytea, role, integer, boolean)', 'execute') as may
       from unnest($1::name[]) as role order by role`,
      [[admitted, other]],
    ),
    sql.query("drop function app.enter(bytea, role, integer)"),
    sql.query(`drop owned by ${admitted}, ${other}`),
    sql.query(`drop role ${admitted}, ${other}`),
  ]);
  expect(results[6]).toEqual([
    { role: admitted, may: true },
    { role: other, may: false },
  ]);
});

import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { typeOfKey } from "../../../src/api-key.ts";
import { type Announced, startAnnounced } from "../helpers/announced.ts";

let announced: Announced;
beforeAll(async () => {
  announced = await startAnnounced();
});
afterAll(() => announced.close());

const run = (...parameters: string[]) => announced.run("operator-key", parameters);
const hash = (key: string) => createHash("sha256").update(key).digest("hex");
/** Returns the only part of a command's output that looks like an operator key. */
const keyIn = (output: string) => {
  const keys = output.match(/inv_o_\w+/g) ?? [];
  expect(keys).toHaveLength(1);
  return keys[0] ?? "";
};
/** Returns true if the gate for operators accepts a key, or the code with which it rejects it. */
const enter = async (key: string) =>
  announced.sql
    .query("select app.enter_operator(decode($1, 'hex'), 5000) is not null as entered", [hash(key)])
    .then(
      ([row]) => row?.["entered"],
      (error) => error.message,
    );

describe("npm run operator-key", () => {
  it("creates a key and prints it once; the database stores only its hash", async () => {
    const { status, stdout } = await run("create", "--name", "Billing");
    const key = keyIn(stdout);
    expect([status, typeOfKey(key)]).toEqual([0, "operator"]);
    expect(await enter(key)).toBe(true);
    expect(
      await announced.sql`
        select name, encode(key_hash, 'hex') as hash from app.operator_keys where name = 'Billing'`,
    ).toEqual([{ name: "Billing", hash: hash(key) }]);
    const list = await run("list");
    expect(list.stdout).not.toMatch(/inv_o_|hash/);
    expect(JSON.parse(list.stdout)).toContainEqual(
      expect.objectContaining({ name: "Billing", key_hint: key.slice(-4), revoked_at: null }),
    );
  });

  it("creates a key that expires", async () => {
    const { stdout } = await run(
      ...["create", "--name", "Short", "--expires-at", new Date(Date.now() + 60_000).toISOString()],
    );
    const key = keyIn(stdout);
    expect(await enter(key)).toBe(true);
    await announced.sql`update app.operator_keys set expires_at = now() where name = 'Short'`;
    expect(await enter(key)).toBe("auth_key_expired");
  });

  it("revokes exactly one key, which stops working at once", async () => {
    const [one, other] = [
      await run("create", "--name", "One"),
      await run("create", "--name", "Two"),
    ];
    const id = /[\da-f-]{36}/.exec(one.stdout)?.[0] ?? "";
    const revoked = await run("revoke", "--id", id);
    expect([revoked.status, revoked.stdout]).toEqual([
      0,
      `Revoked operator key ${id} (One). It stops working immediately.\n`,
    ]);
    expect(await enter(keyIn(one.stdout))).toBe("auth_key_disabled");
    expect(await enter(keyIn(other.stdout))).toBe(true);
  });

  it.each([
    ["create without a name", ["create"], /^name: is required/],
    [
      "an expiry in the past",
      ["create", "--name", "x", "--expires-at", "2026-01-01T00:00:00Z"],
      /^expires-at: /,
    ],
    ["an unknown verb", ["rotate"], /^Usage:/],
    [
      "an unknown key",
      ["revoke", "--id", "00000000-0000-4000-8000-000000000000"],
      /^There is no operator key/,
    ],
  ])("rejects %s", async (_, parameters, expected) => {
    const { status, stdout, stderr } = await run(...parameters);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(expected);
  });

  it("has at most 100 valid keys", async () => {
    await announced.sql`
      insert into app.operator_keys (name, key_hash, key_hint)
      select 'Many', sha256(place::text::bytea), 'many' from generate_series(1, 99) as place`;
    const { status, stderr } = await run("create", "--name", "Last");
    expect([status, stderr]).toEqual([2, "There are 100 valid operator keys: revoke one first.\n"]);
    await announced.sql`update app.operator_keys set revoked_at = now() where name = 'Many'`;
    expect((await run("create", "--name", "Last")).status).toBe(0);
  });
});

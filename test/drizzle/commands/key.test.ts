import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import demo from "../../../drizzle/demo.json" with { type: "json" };
import { typeOfKey } from "../../../src/api-key.ts";
import { type Announced, startAnnounced } from "../helpers/announced.ts";
import { internals } from "../helpers/npm.ts";

const organization = demo.organization.id;
const nobody = "00000000-0000-4000-8000-000000000000";

let announced: Announced;
beforeAll(async () => {
  announced = await startAnnounced();
});
afterAll(() => announced.close());

const create = (id: string, ...options: string[]) =>
  announced.run("key", ["create", "--organization", id, "--name", "First key", ...options]);
/** Creates an organization without keys. Returns its id. */
const createOrganization = async () => {
  const { stdout } = await announced.run("organization", ["create", "Acme"]);
  return /[\da-f-]{36}/.exec(stdout)?.[0] ?? "";
};
/** Returns the only part of a command's output that looks like a key. */
const keyIn = (output: string) => {
  const keys = output.match(/inv_u_\w+/g) ?? [];
  expect(keys).toHaveLength(1);
  return keys[0] ?? "";
};
const hash = (key: string) => createHash("sha256").update(key).digest("hex");
/** Returns the organization and networks of a key, or the error with which the gate rejects it. */
const enter = async (key: string, role = "Viewer") => {
  const rows: Record<string, unknown>[] = await announced.sql
    .query(
      `select organization_id,
         case when app.reaches_all_networks() then '' else app.network_ids()::text end as networks
       from app.enter(decode($1, 'hex'), $2, 5000)`,
      [hash(key), role],
    )
    .catch((error) => [{ refusal: error.message }]);
  return rows[0];
};

describe("npm run key -- create", () => {
  it("creates the first key and prints it once; the database stores only its hash", async () => {
    const id = await createOrganization();
    const { status, stdout, stderr } = await create(id);
    expect([status, stderr]).toEqual([0, ""]);
    const key = keyIn(stdout);
    expect(typeOfKey(key)).toBe("user");
    expect(await enter(key, "Owner")).toEqual({ organization_id: id, networks: "" });
    const dump = await announced.dump();
    expect(dump).toContain(hash(key));
    expect(dump).not.toContain(key.slice("inv_u_".length, -6));
    const list = await announced.run("key", ["list", "--organization", id]);
    expect(list.stdout).toContain("First key");
    expect(list.stdout).not.toMatch(/inv_u_|hash/);
    expect(list.stdout).not.toContain(hash(key));
    expect(
      await announced.sql`select key_hint from user_api_keys where organization_id = ${id}`,
    ).toEqual([{ key_hint: key.slice(-4) }]);
  });

  it("does not create a second key unless the first one is lost, since the API can create more keys", async () => {
    const before = await announced.dump();
    const { status, stdout, stderr } = await create(organization);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^The organization has a working Owner key: .*--recovery/);
    expect(await announced.dump()).toBe(before);
    const recovered = await create(organization, "--recovery");
    expect(await enter(keyIn(recovered.stdout), "Owner")).toMatchObject({
      organization_id: organization,
    });
  });

  it.each([
    ["disabled", "is_enabled = false"],
    ["expired", "expires_at = now()"],
    ["limited to specific networks", "is_limited_to_networks = true"],
    ["lowered", "role = 'Admin'"],
  ])("creates another key if the only Owner key is %s", async (_, change) => {
    const id = await createOrganization();
    await create(id);
    expect((await create(id)).status).toBe(2);
    await announced.sql.query(`update user_api_keys set ${change} where organization_id = $1`, [
      id,
    ]);
    expect(await enter(keyIn((await create(id)).stdout), "Owner")).toMatchObject({
      organization_id: id,
    });
  });

  it("names every missing or invalid option, and does not create a key", async () => {
    const before = await announced.dump();
    for (const [options, names] of [
      [[], ["organization", "name"]],
      [
        ["--organization", "Acme", "--name", "x".repeat(101)],
        ["organization", "name"],
      ],
    ] as const) {
      const { status, stdout, stderr } = await announced.run("key", ["create", ...options]);
      expect([status, stdout]).toEqual([2, ""]);
      const [problems = "", usage] = stderr.split("\n\n");
      expect(problems.split("\n").map((line) => /^(\w+): ./.exec(line)?.[1])).toEqual(names);
      expect(usage).toMatch(/^Usage:\n {2}npm run key -- create --organization ID/);
      expect(stderr).not.toMatch(internals);
    }
    expect(await announced.dump()).toBe(before);
  });

  it("rejects an unknown organization", async () => {
    const before = await announced.dump();
    const unknown = await create(nobody);
    expect([unknown.status, unknown.stderr]).toEqual([
      2,
      `There is no organization with the id ${nobody}.\n`,
    ]);
    expect(await announced.dump()).toBe(before);
  });
});

describe("npm run key -- list", () => {
  it("prints one organization's keys, in order of creation", async () => {
    const { organization: other } = demo.other;
    const { status, stdout } = await announced.run("key", ["list", "--organization", other.id]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      {
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        name: "Front desk",
        role: "Owner",
        is_enabled: true,
        is_limited_to_networks: false,
        expires_at: null,
        last_used_at: null,
        created_at: "2022-09-01T08:00:00.000Z",
      },
    ]);
  });

  it("rejects an unknown organization", async () => {
    const { status, stderr } = await announced.run("key", ["list", "--organization", nobody]);
    expect([status, stderr]).toEqual([2, `There is no organization with the id ${nobody}.\n`]);
  });
});

describe("npm run key -- disable", () => {
  it("disables exactly one key, which stops working at once", async () => {
    const { stdout } = await create(await createOrganization());
    const key = keyIn(stdout);
    expect(await enter(key)).toHaveProperty("organization_id");
    const id = /Created key (\S+) /.exec(stdout)?.[1] ?? "";
    const disabled = await announced.run("key", ["disable", "--id", id]);
    expect([disabled.status, disabled.stdout]).toEqual([
      0,
      `Disabled key ${id} (First key). It stops working immediately.\n`,
    ]);
    expect(await enter(key)).toEqual({ refusal: "auth_key_disabled" });
    expect(await enter(demo.keys.viewer)).toHaveProperty("organization_id");
  });

  it("rejects an unknown key", async () => {
    const { status, stderr } = await announced.run("key", ["disable", "--id", nobody]);
    expect([status, stderr]).toEqual([2, `There is no key with the id ${nobody}.\n`]);
  });
});

describe("npm run key", () => {
  it.each([
    [[], /^Usage:/],
    [["create", "--colour", "red"], /^Unknown option '--colour'/],
    [["disable"], /^id: is required/],
  ])("%j prints an error", async (options, message) => {
    const { status, stdout, stderr } = await announced.run("key", options);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(internals);
  });
});

import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import demo from "../../../drizzle/demo.json" with { type: "json" };
import { isWellFormedApiKey } from "../../../src/api-key.ts";
import { type Announced, startAnnounced } from "../helpers/announced.ts";
import { internals } from "../helpers/npm.ts";

const organization = demo.organization.id;
const [home, lab] = demo.networks.map(({ id }) => id);
const nobody = "00000000-0000-4000-8000-000000000000";

let announced: Announced;
beforeAll(async () => {
  announced = await startAnnounced();
});
afterAll(() => announced.close());

const create = (options: Record<string, string | undefined>) =>
  announced.run("key", [
    "create",
    ...Object.entries({ organization, name: "CI", role: "Viewer", ...options }).flatMap(
      ([name, value]) => (value === undefined ? [] : [`--${name}`, value]),
    ),
  ]);
/** The only text of a command's output that looks like a key. */
const keyIn = (output: string) => {
  const keys = output.match(/inv_u_\w+/g) ?? [];
  expect(keys).toHaveLength(1);
  return keys[0] ?? "";
};
const hash = (key: string) => createHash("sha256").update(key).digest("hex");
/** What the gate says to a key: its organization and networks, or why not. */
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
  it("makes a key that works, and shows it once: the database holds nothing but its hash", async () => {
    const { status, stdout, stderr } = await create({ name: " Ansible ", role: "Admin" });
    expect([status, stderr]).toEqual([0, ""]);
    const key = keyIn(stdout);
    expect(isWellFormedApiKey(key)).toBe(true);
    expect(await enter(key, "Admin")).toMatchObject({
      organization_id: organization,
      networks: "",
    });
    expect(await enter(key, "Owner")).toEqual({ refusal: "auth_permission_denied" });
    const dump = await announced.dump();
    expect(dump).toContain(hash(key));
    expect(dump).not.toContain(key.slice("inv_u_".length, -6));
    const list = await announced.run("key", ["list", "--organization", organization]);
    expect(list.stdout).toContain("Ansible");
    expect(list.stdout).not.toMatch(/inv_u_|hash/);
    expect(list.stdout).not.toContain(hash(key));
  });

  it("limits a key to networks and to a time", async () => {
    const limited = await create({
      networks: `${lab},${home}`,
      expires: "2999-01-01T01:00:00+01:00",
    });
    const row = await enter(keyIn(limited.stdout));
    expect(String(row?.["networks"]).slice(1, -1).split(",").sort()).toEqual([home, lab].sort());
    const list = await announced.run("key", ["list", "--organization", organization]);
    expect(JSON.parse(list.stdout)).toContainEqual(
      expect.objectContaining({
        is_limited_to_networks: true,
        expires_at: "2999-01-01T00:00:00.000Z",
      }),
    );
    const expired = await create({ expires: "2020-01-01T00:00:00Z" });
    expect(await enter(keyIn(expired.stdout))).toEqual({ refusal: "auth_key_expired" });
  });

  it.each([
    {
      wrong: "missing or empty",
      options: {
        organization: undefined,
        name: undefined,
        role: undefined,
        expires: "",
        networks: "",
      },
    },
    {
      wrong: "of the wrong form, too long, too vague or there twice",
      options: {
        organization: "Acme",
        name: "x".repeat(101),
        role: "owner",
        expires: "2027-01-01",
        networks: `${home},${home?.toUpperCase()}`,
      },
    },
  ])("names every option that is $wrong, and makes nothing", async ({ options }) => {
    const before = await announced.dump();
    const { status, stdout, stderr } = await create(options);
    expect([status, stdout]).toEqual([2, ""]);
    const [problems = "", usage] = stderr.split("\n\n");
    const named = problems.split("\n").map((line) => /^(\w+)(\[\d+\])?: ./.exec(line)?.[1]);
    expect(named).toEqual(Object.keys(options));
    expect(usage).toMatch(/^Usage:\n {2}npm run key -- create --organization ID/);
    expect(stderr).not.toMatch(internals);
    expect(await announced.dump()).toBe(before);
  });

  it("says which organization or network there is not", async () => {
    const before = await announced.dump();
    const [unknown, foreign] = await Promise.all([
      create({ organization: nobody }),
      create({ organization: demo.other.organization.id, networks: `${home},${nobody}` }),
    ]);
    expect([unknown.status, foreign.status]).toEqual([2, 2]);
    expect(unknown.stderr).toBe(`There is no organization with the id ${nobody}.\n`);
    expect(foreign.stderr).toBe(
      `The organization has no network with the id ${home}, ${nobody}.\n`,
    );
    expect(await announced.dump()).toBe(before);
  });
});

describe("npm run key -- list", () => {
  it("shows the keys of one organization, in the order of their creation", async () => {
    const { organization: other } = demo.other;
    const { status, stdout } = await announced.run("key", ["list", "--organization", other.id]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual([
      {
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        name: "Demo Owner",
        role: "Owner",
        is_enabled: true,
        is_limited_to_networks: false,
        expires_at: null,
        last_used_at: null,
        created_at: "2022-09-01T08:00:00.000Z",
      },
    ]);
  });

  it("says that there is no such organization", async () => {
    const { status, stderr } = await announced.run("key", ["list", "--organization", nobody]);
    expect([status, stderr]).toEqual([2, `There is no organization with the id ${nobody}.\n`]);
  });
});

describe("npm run key -- disable", () => {
  it("stops a key at once, and only that one", async () => {
    const { stdout } = await create({ name: "Old laptop" });
    const key = keyIn(stdout);
    expect(await enter(key)).toHaveProperty("organization_id");
    const id = /Created key (\S+) /.exec(stdout)?.[1] ?? "";
    const disabled = await announced.run("key", ["disable", "--id", id]);
    expect([disabled.status, disabled.stdout]).toEqual([
      0,
      `Disabled key ${id} (Old laptop). It stops with the next request.\n`,
    ]);
    expect(await enter(key)).toEqual({ refusal: "auth_key_disabled" });
    expect(await enter(demo.keys.viewer)).toHaveProperty("organization_id");
  });

  it("says that there is no such key", async () => {
    const { status, stderr } = await announced.run("key", ["disable", "--id", nobody]);
    expect([status, stderr]).toEqual([2, `There is no key with the id ${nobody}.\n`]);
  });
});

describe("npm run key", () => {
  it.each([
    [[], /^Usage:/],
    [["create", "--colour", "red"], /^Unknown option '--colour'/],
    [["disable"], /^id: must be a UUID/],
  ])("%j is told how it goes", async (options, message) => {
    const { status, stdout, stderr } = await announced.run("key", options);
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(internals);
  });
});

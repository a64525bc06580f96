import { beforeAll, expect, test } from "vitest";
import { type Api, openApi } from "../helpers/api.ts";
import { mintManyBindings } from "../helpers/binding-versions.ts";
import { recordConsole } from "../helpers/console.ts";
import { sql } from "../helpers/database.ts";
import { mintManyCredentials } from "../helpers/many-credentials.ts";
import { mintKey, mintOrganization, type Organization } from "../helpers/organization.ts";

/** Reads a list to its end, and calls `midway` after the first bytes. */
async function readWith(api: Api, key: string, path: string, midway: () => Promise<unknown>) {
  const requestId = crypto.randomUUID();
  const response = await api.open("GET", path, { key, headers: { "X-Request-Id": requestId } });
  expect(response.status).toBe(200);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  const readAll = async () => {
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
      if (text === "") {
        await midway();
      }
      text += read.value;
    }
  };
  const failure = await readAll().catch((error: unknown) => error);
  return { text, failure, requestId };
}

/** Changes to a key's networks during a read. */
const changes = [
  {
    what: "loses one of its networks",
    change: (key: string, [network]: string[]) => sql`
      delete from user_api_key_networks where network_id = ${network}
      and api_key_id = (select api_key_id from user_api_key_secrets
        where key_hash = sha256(convert_to(${key}, 'UTF8')))`,
  },
  {
    what: "loses its last network",
    change: (key: string) => sql`
      delete from user_api_key_networks where api_key_id = (
        select api_key_id from user_api_key_secrets where key_hash = sha256(convert_to(${key}, 'UTF8')))`,
  },
  {
    what: "is no longer limited",
    change: (key: string) => sql`
      update user_api_keys set is_limited_to_networks = false
      where id = (select api_key_id from user_api_key_secrets
        where key_hash = sha256(convert_to(${key}, 'UTF8')))`,
  },
];

let organization: Organization;
let networks: string[];

beforeAll(async () => {
  organization = await mintOrganization();
  networks = organization.networks.map(({ id }) => id);
  await mintManyBindings(organization.id, organization.networks[0], 3100);
  await mintManyBindings(organization.id, organization.networks[1], 100);
  await mintManyCredentials(organization, 3100);
});

test.each(changes.flatMap((row) => ["bindings", "credentials"].map((list) => ({ ...row, list }))))(
  "the complete list of $list is aborted when its key $what midway",
  async ({ list, change }) => {
    const logs = recordConsole();
    const api = openApi();
    const key = await mintKey(organization.id, {}, networks);
    // Delays the calls, because the next chunk could otherwise be requested before the change.
    await api.disturb({ delay_ms: 300 });
    const { text, failure, requestId } = await readWith(api, key, `/api/v1/${list}?limit=0`, () =>
      change(key, networks),
    );
    expect(failure).toBeInstanceOf(Error);
    expect(text).toMatch(/^\{"success":true,"data":\[\{/);
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    const lines = logs()
      .split("\n")
      .filter((line) => line.includes(requestId) && line.includes('"event"'));
    expect(lines).toEqual([expect.stringContaining('"event":"stream_aborted"')]);
  },
);

test("a list is complete even if another key's networks change meanwhile", async () => {
  const api = openApi();
  const [key, other] = [
    await mintKey(organization.id, {}, networks),
    await mintKey(organization.id, {}, networks),
  ];
  const { text, failure } = await readWith(
    api,
    key,
    "/api/v1/bindings?limit=0",
    () => sql`
      delete from user_api_key_networks where api_key_id = (
        select api_key_id from user_api_key_secrets where key_hash = sha256(convert_to(${other}, 'UTF8')))`,
  );
  expect(failure).toBeUndefined();
  expect(JSON.parse(text)).toHaveProperty("data.length", 3200);
});

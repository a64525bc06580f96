import { beforeAll, expect, test } from "vitest";
import { seen, unavailable } from "../helpers/answers.ts";
import { type Api, openApi } from "../helpers/api.ts";
import { recordConsole } from "../helpers/console.ts";
import { credentialIn, credentialsIn, putCredential, updateOf } from "../helpers/credentials.ts";
import { sql } from "../helpers/database.ts";
import { mintManyCredentials, readPages } from "../helpers/many-credentials.ts";
import { mintOrganization, type Organization } from "../helpers/organization.ts";

const path = (query: string) => `/api/v1/credentials?${query}`;

/** Reads a complete list, and calls `midway` after the first bytes. */
async function readWith(api: Api, key: string, query: string, midway: () => Promise<unknown>) {
  const response = await api.open("GET", path(query), { key });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  let failure: unknown = null;
  try {
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
      if (text === "") {
        await midway();
      }
      text += read.value;
    }
  } catch (error) {
    failure = error;
  }
  return { status: response.status, headers: response.headers, text, failure };
}

const answerOf = ({ status, headers, text }: Awaited<ReturnType<typeof readWith>>) => ({
  status,
  text,
  headers,
  body: JSON.parse(text) as unknown,
});

/** An organization that no test changes. */
let unchanged: Organization;

beforeAll(async () => {
  unchanged = await mintOrganization();
  await mintManyCredentials(unchanged);
});

test("lists each credential exactly once while credentials move from one end of the order to the other", async () => {
  const api = openApi();
  const organization = await mintOrganization();
  await mintManyCredentials(organization);
  const { id, keys } = organization;
  const before = await readPages(openApi(), keys.viewer, "order_by=name");
  const [first, last] = [before.at(0), before.at(-1)];
  const read = await readWith(api, keys.viewer, "order_by=name&limit=0", async () => {
    for (const [credential, name] of [
      [first, "~"],
      [last, "!"],
    ] as const) {
      const sent = updateOf(id, { name });
      credentialIn(await putCredential(openApi(), keys.admin, credential?.id ?? "", sent));
    }
    // Moves every third credential to the other end of the order.
    await sql`
      update credentials set name = translate(name, '0123456789abcdef', 'zyxwvutsrqponmlk')
      where organization_id = ${id} and name like any (array['%0', '%3', '%6', '%9', '%c', '%f'])`;
  });
  expect(read).toMatchObject({ status: 200, failure: null });
  const listed = credentialsIn(answerOf(read)).map((one) => one.id);
  expect(listed).toEqual(before.map((one) => one.id));
  const after = await readPages(openApi(), keys.viewer, "order_by=name");
  expect(after.map((one) => one.id)).not.toEqual(listed);
});

test.each([
  { what: "a whole chunk", from: 1000, to: 2000 },
  { what: "everything that follows", from: 1000, to: 2500 },
])("the response stays complete when $what is deleted in the meantime", async ({ from, to }) => {
  const api = openApi();
  const organization = await mintOrganization();
  await mintManyCredentials(organization);
  const key = organization.keys.viewer;
  const all = (await readPages(openApi(), key, "order_by=name")).map(({ id }) => id);
  const read = await readWith(api, key, "order_by=name&limit=0", async () => {
    await sql`delete from credentials where id = any (${all.slice(from, to)}::uuid[])`;
  });
  expect(read).toMatchObject({ status: 200, failure: null });
  const listed = credentialsIn(answerOf(read)).map(({ id }) => id);
  expect(listed).toEqual(all.toSpliced(from, to - from));
});

test.each([1, 2])("a failure after %i chunks aborts the response", async (chunks) => {
  const logged = recordConsole();
  const api = openApi();
  const none = Array.from({ length: chunks }, () => ({ kind: "none" }) as const);
  const message = "words of the database";
  await api.disturb({ faults: [...none, { kind: "sqlstate", code: "57014", message }] });
  const read = await readWith(api, unchanged.keys.viewer, "limit=0", async () => {});
  expect(read).toMatchObject({ status: 200, failure: expect.any(Error) });
  expect(read.text).toMatch(/^\{"success":true,"data":\[\{/);
  expect(() => JSON.parse(read.text)).toThrow(SyntaxError);
  expect(`${read.text}${String(read.failure)}${logged()}`).not.toContain(message);
  expect(logged()).toContain('"event":"stream_aborted"');
  expect(await api.calls()).toBe(chunks + 1);
});

test("a failure in the first chunk returns 503", async () => {
  const api = openApi();
  await api.disturb({ faults: [{ kind: "sqlstate", code: "57014", message: "cancelled" }] });
  const key = unchanged.keys.viewer;
  expect(seen(await api.send("GET", path("limit=0"), { key }))).toEqual(unavailable);
  expect(await api.calls()).toBe(1);
});

test("stops reading when the client disconnects", async () => {
  const api = openApi();
  const key = unchanged.keys.viewer;
  const response = await api.open("GET", path("limit=0"), { key });
  const reader = response.body?.getReader();
  expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
  await reader?.cancel();
  await scheduler.wait(300);
  expect(await api.calls()).toBeLessThanOrEqual(2);
});

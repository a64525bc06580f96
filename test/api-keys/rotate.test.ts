import { expect, test } from "vitest";
import { failed, invalidAt, seen, unauthorized } from "../helpers/answers.ts";
import { type Api, openApi } from "../helpers/api.ts";
import { createKey, keyIdOf, shownIn, whoami } from "../helpers/api-keys.ts";
import { sql } from "../helpers/database.ts";
import { mintOrganization } from "../helpers/organization.ts";
import { changingNothing, rowsHolding } from "../helpers/rows.ts";

const path = "/api/v1/auth/keys";
const week = 604_800;

const rotate = (api: Api, caller: string, id: string, json: unknown = {}) =>
  api.send("POST", `${path}/${id}/rotate`, { key: caller, json });

async function open() {
  const api = openApi();
  const { id: organization, keys } = await mintOrganization();
  const id = await keyIdOf(keys.member);
  return { api, organization, keys, id };
}

const statuses = (api: Api, ...keys: string[]) =>
  Promise.all(keys.map(async (key) => (await whoami(api, key)).status));

test("by default, the new plaintext works and the old one stops working immediately", async () => {
  const { api, keys, id } = await open();
  const before = await api.send("GET", `${path}/${id}`, { key: keys.viewer });
  const answer = await rotate(api, keys.admin, id);
  const { api_key, key } = shownIn(answer);
  expect(answer.status).toBe(200);
  expect(api_key).toMatchObject({ id, permissions: "Member", key_hint: key.slice(-4) });
  expect(await statuses(api, key, keys.member)).toEqual([200, 401]);
  expect(seen(await whoami(api, keys.member))).toEqual(unauthorized("auth_not_authenticated"));
  const after = await api.send("GET", `${path}/${id}`, { key: keys.viewer });
  // Using the key changes only the last part of its ETag.
  const written = (etag: string | null) => etag?.split("-").slice(0, 2);
  expect(written(after.headers.get("etag"))).toEqual(written(answer.headers.get("etag")));
  expect(written(after.headers.get("etag"))).not.toEqual(written(before.headers.get("etag")));
  expect(await rowsHolding([key])).toEqual([]);
});

test("a rotation takes one database call", async () => {
  const { api, keys, id } = await open();
  await rotate(api, keys.admin, id, { overlap_seconds: 60 });
  expect(await api.calls()).toBe(1);
});

test("with an overlap, both plaintexts work and belong to the same key", async () => {
  const { api, keys, id } = await open();
  const { key } = shownIn(await rotate(api, keys.admin, id, { overlap_seconds: week }));
  for (const plaintext of [key, keys.member]) {
    expect(await whoami(api, plaintext)).toMatchObject({ body: { data: { api_key: { id } } } });
  }
  const [old] = await sql`
    select extract(epoch from expires_at - now())::float8 as seconds from user_api_key_secrets
    where key_hash = sha256(convert_to(${keys.member}, 'UTF8'))`;
  expect(Math.round(Number(old?.["seconds"]) / 100)).toBe(week / 100);
});

// Otherwise, a stolen old plaintext could be used to lock out its owner.
test("the old plaintext cannot rotate a key again", async () => {
  const { api, keys } = await open();
  const own = await keyIdOf(keys.admin);
  const { key } = shownIn(await rotate(api, keys.admin, own, { overlap_seconds: week }));
  const again = await rotate(api, keys.admin, own, { overlap_seconds: 0 });
  expect(seen(again)).toEqual(failed("auth_scope_denied", { reason: "replaced_plaintext" }));
  expect(await statuses(api, keys.admin, key)).toEqual([200, 200]);
});

test("the old plaintext stops working at the end of its overlap, and the error contains that time", async () => {
  const { api, keys, id } = await open();
  const { key } = shownIn(await rotate(api, keys.admin, id, { overlap_seconds: 1 }));
  expect(await statuses(api, keys.member)).toEqual([200]);
  await sql`update user_api_key_secrets set expires_at = '2026-01-02T03:04:05.060Z'
    where key_hash = sha256(convert_to(${keys.member}, 'UTF8'))`;
  expect(seen(await whoami(api, keys.member))).toEqual(
    unauthorized("auth_key_expired", { expired_at: "2026-01-02T03:04:05.060Z" }),
  );
  expect(await statuses(api, key)).toEqual([200]);
});

test("an overlap ends after the given number of seconds, even without another request", async () => {
  const { api, keys, id } = await open();
  await rotate(api, keys.admin, id, { overlap_seconds: 1 });
  await expect
    .poll(async () => seen(await whoami(api, keys.member)), { timeout: 5000 })
    .toMatchObject({ status: 401, body: { code: "auth_key_expired" } });
});

test.each([-1, week + 1, 0.5, "60", null])("rejects overlap_seconds %j", async (value) => {
  const { api, organization, keys, id } = await open();
  const attempt = () => rotate(api, keys.admin, id, { overlap_seconds: value });
  expect(seen(await changingNothing(organization, attempt))).toEqual(
    invalidAt("body.overlap_seconds"),
  );
});

test("only ten plaintexts of a key work: the newest one, and the nine overlapping ones that expire last", async () => {
  const { api, keys, id } = await open();
  const plaintexts = [keys.member];
  for (let rotation = 1; rotation <= 10; rotation++) {
    // Each overlap ends later than the previous ones.
    const json = { overlap_seconds: 1000 * rotation };
    plaintexts.push(shownIn(await rotate(api, keys.admin, id, json)).key);
  }
  const works = await statuses(api, ...plaintexts);
  expect(works).toEqual([401, ...Array.from({ length: 10 }, () => 200)]);
});

test("a rotation without an overlap invalidates all earlier plaintexts", async () => {
  const { api, keys, id } = await open();
  const second = shownIn(await rotate(api, keys.admin, id, { overlap_seconds: week })).key;
  const third = shownIn(await rotate(api, keys.admin, id)).key;
  expect(await statuses(api, keys.member, second, third)).toEqual([401, 401, 200]);
});

test("a key can rotate itself, and its old plaintext stops working", async () => {
  const { api, keys } = await open();
  const { key } = shownIn(await rotate(api, keys.admin, await keyIdOf(keys.admin)));
  expect(await statuses(api, keys.admin, key)).toEqual([401, 200]);
});

test("an overlap does not outlive the key: once the key is disabled or deleted, none of its plaintexts work", async () => {
  const { api, keys, id } = await open();
  const second = shownIn(await rotate(api, keys.admin, id, { overlap_seconds: week })).key;
  const json = { name: "Off", permissions: "Member", is_enabled: false };
  await api.send("PUT", `${path}/${id}`, { key: keys.admin, json });
  for (const plaintext of [keys.member, second]) {
    expect(seen(await whoami(api, plaintext))).toEqual(unauthorized("auth_key_disabled"));
  }
  await api.send("DELETE", `${path}/${id}`, { key: keys.admin });
  for (const plaintext of [keys.member, second]) {
    expect(seen(await whoami(api, plaintext))).toEqual(unauthorized("auth_not_authenticated"));
  }
});

test("returns 404 for another organization's key and for a key that does not exist", async () => {
  const { api, organization, keys } = await open();
  const other = await mintOrganization();
  for (const id of [await keyIdOf(other.keys.viewer), crypto.randomUUID()]) {
    const attempt = () => rotate(api, keys.owner, id);
    expect(seen(await changingNothing(organization, attempt))).toEqual(
      failed("entity_not_found", { entity: "ApiKey", id }),
    );
  }
  expect(await statuses(api, other.keys.viewer)).toEqual([200]);
});

test("a rotated key stays limited to its networks", async () => {
  const api = openApi();
  const { keys, networks } = await mintOrganization();
  const network_ids = [networks[0].id];
  const json = { name: "Limited", permissions: "Member", network_ids };
  const { api_key } = await createKey(api, keys.admin, json);
  const { key } = shownIn(await rotate(api, keys.admin, api_key.id));
  expect(await whoami(api, key)).toMatchObject({
    body: { data: { api_key: { network_ids } } },
  });
});

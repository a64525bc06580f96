import { expect, test } from "vitest";
import { failed, seen, unauthorized } from "../helpers/answers.ts";
import { type Answer, openApi } from "../helpers/api.ts";
import { keyIdOf } from "../helpers/api-keys.ts";
import { sql } from "../helpers/database.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";
import { issuedIn } from "../helpers/tokens.ts";
import { hold } from "./held.ts";
import { atOnce } from "./race.ts";

const issue = (key: string): Promise<Answer> =>
  openApi().send("POST", "/api/v1/auth/tokens", {
    key,
    json: { permissions: "Viewer", subject: "user-4711" },
  });

/** Issues a token while a transaction that changes its key has not yet been committed. */
async function issueDuring(change: (id: string) => ReturnType<typeof sql>): Promise<Answer> {
  const { id } = await mintOrganization();
  const key = await mintKey(id, { role: "Admin" });
  const keyId = await keyIdOf(key);
  const held = await hold([
    sql`select from user_api_keys where id = ${keyId} for no key update`,
    change(keyId),
  ]);
  const answer = issue(key);
  const waiting = async () =>
    sql`select from pg_stat_activity where datname = current_database()
      and query like '%app.issue_token%' and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await waiting()).length, { timeout: 5000 }).toBe(1);
  await held.commit();
  return await answer;
}

test.each([
  ["is deleted", (id: string) => sql`delete from user_api_keys where id = ${id}`],
  [
    "gets a new plaintext",
    (id: string) => sql`delete from user_api_key_secrets where api_key_id = ${id}`,
  ],
])("a key that %s while it issues a token is unknown", async (_, change) => {
  expect(seen(await issueDuring(change))).toEqual(unauthorized("auth_not_authenticated"));
});

test("a key that is disabled while it issues a token is rejected", async () => {
  const answer = await issueDuring(
    (id) => sql`update user_api_keys set is_enabled = false where id = ${id}`,
  );
  expect(seen(answer)).toEqual(unauthorized("auth_key_disabled"));
});

test("a key that gets a lower role while it issues a token is rejected", async () => {
  const answer = await issueDuring(
    (id) => sql`update user_api_keys set role = 'Member' where id = ${id}`,
  );
  expect(seen(answer)).toEqual(
    failed("auth_permission_denied", { required_role: "Admin", role: "Member" }),
  );
});

test("a token that is issued during a rotation expires no later than the old plaintext", async () => {
  const end = new Date(Math.ceil(Date.now() / 1000 + 120) * 1000).toISOString();
  const answer = await issueDuring(
    (id) => sql`update user_api_key_secrets set expires_at = ${end} where api_key_id = ${id}`,
  );
  expect(issuedIn(answer).expires_at).toBe(end);
});

test("concurrent requests do not exceed the maximum number of tokens", async () => {
  const { id } = await mintOrganization();
  const key = await mintKey(id, { role: "Admin" });
  await sql`
    insert into user_api_tokens (
      organization_id, api_key_id, key_hash, token_hash, role, subject, expires_at)
    select organization_id, api_key_id, key_hash, sha256(convert_to(gen_random_uuid()::text, 'UTF8')),
      'Viewer', 'user', now() + interval '10 minutes'
    from user_api_key_secrets cross join generate_series(1, 9997)
    where key_hash = sha256(convert_to(${key}, 'UTF8'))`;
  const answers = await atOnce(12, () => issue(key));
  expect(answers.map(({ status }) => status).sort()).toEqual([
    ...Array(3).fill(201),
    ...Array(9).fill(429),
  ]);
});

import { describe, expect, inject, test } from "vitest";
import { abortionOf, becomeApi, enter, refusalOf, sql } from "../helpers/database.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";

const digest = (byte: number) => `\\x${byte.toString(16).padStart(2, "0").repeat(32)}`;

/** Returns a statement that claims a key within a transaction. */
const claim = (key: string, recordId: string, operation = "create_tag", digests = [digest(1)]) =>
  sql`select app.claim_idempotency(${key}, ${operation}, ${digests}::bytea[], ${[recordId]}::uuid[])`;

/** Claims a key behind the gate, and creates a tag. */
const createTag = (organization: string, bearer: string, key: string, id: string) =>
  sql.transaction([
    enter(bearer),
    claim(key, id),
    sql`insert into tags (organization_id, id, name) values (${organization}, ${id}, ${id})`,
  ]);

test("a repeated request does not create anything, and returns the ids of the existing records", async () => {
  const { id, keys } = await mintOrganization();
  const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
  await createTag(id, keys.admin, "a key", first);
  expect(await abortionOf(createTag(id, keys.admin, "a key", second))).toEqual({
    sqlstate: "INV02",
    detail: { record_ids: [first], key_id: expect.any(String), organization_id: id },
  });
  expect(await sql`select from tags where id = ${second}`).toEqual([]);
});

test("a failed request does not use up its key", async () => {
  const { id, keys } = await mintOrganization();
  const tag = crypto.randomUUID();
  const failing = sql.transaction([enter(keys.admin), claim("a key", tag), sql`select 1 / 0`]);
  expect(await refusalOf(failing)).toMatchObject({ code: "22012" });
  await createTag(id, keys.admin, "a key", tag);
});

test.each([
  ["another operation", "create_network", [digest(1)]],
  ["another body", "create_tag", [digest(2)]],
  ["another body, by the digests of all sealing keys", "create_tag", [digest(2), digest(3)]],
])("rejects a key that is reused with %s", async (_, operation, digests) => {
  const { id, keys } = await mintOrganization();
  await createTag(id, keys.admin, "a key", crypto.randomUUID());
  const again = sql.transaction([
    enter(keys.admin),
    claim("a key", crypto.randomUUID(), operation, digests),
  ]);
  expect(await abortionOf(again)).toMatchObject({
    sqlstate: "INV01",
    detail: { code: "idempotency_key_reused", params: {}, organization_id: id },
  });
});

test("stores the first digest, and compares the stored digest with every digest that is sent", async () => {
  const { keys } = await mintOrganization();
  const tag = crypto.randomUUID();
  await sql.transaction([enter(keys.admin), claim("a key", tag, "x", [digest(1), digest(2)])]);
  const withOld = sql.transaction([
    enter(keys.admin),
    claim("a key", tag, "x", [digest(9), digest(1)]),
  ]);
  expect(await refusalOf(withOld)).toMatchObject({ code: "INV02" });
  const second = sql.transaction([enter(keys.admin), claim("a key", tag, "x", [digest(2)])]);
  expect(await refusalOf(second)).toMatchObject({ code: "INV01" });
});

test("claims are separate for each API key", async () => {
  const { id, keys } = await mintOrganization();
  await createTag(id, keys.admin, "a key", crypto.randomUUID());
  await createTag(id, keys.owner, "a key", crypto.randomUUID());
  const other = await mintOrganization();
  await createTag(other.id, other.keys.admin, "a key", crypto.randomUUID());
});

test.each([
  [0, "can be claimed again"],
  [60, "is still valid"],
])("a claim whose 24 hours end in %i seconds %s", async (left, verdict) => {
  const { id, keys } = await mintOrganization();
  await createTag(id, keys.admin, "a key", crypto.randomUUID());
  await sql`update idempotency_keys
    set created_at = now() - interval '24 hours' + make_interval(secs => ${left})
    where organization_id = ${id}`;
  const again = createTag(id, keys.admin, "a key", crypto.randomUUID());
  if (verdict === "can be claimed again") {
    await again;
  } else {
    expect(await refusalOf(again)).toMatchObject({ code: "INV02" });
  }
});

test.each([
  ["an empty key", "", "x", "idempotency_keys_key_check"],
  ["a key of 256 characters", "k".repeat(256), "x", "idempotency_keys_key_check"],
  ["an operation of 301 characters", "k", "x".repeat(301), "idempotency_keys_operation_check"],
])("rejects a claim with %s", async (_, key, operation, constraint) => {
  const { keys } = await mintOrganization();
  const attempt = sql.transaction([enter(keys.admin), claim(key, crypto.randomUUID(), operation)]);
  expect(await refusalOf(attempt)).toEqual({ code: "23514", constraint });
});

test("accepts a key of 255 characters and an operation of 300 characters", async () => {
  const { keys } = await mintOrganization();
  await sql.transaction([
    enter(keys.admin),
    claim("k".repeat(255), crypto.randomUUID(), "x".repeat(300)),
  ]);
});

test("rejects a claim without an API key", async () => {
  const attempt = sql.transaction([becomeApi(), claim("a key", crypto.randomUUID())]);
  expect(await refusalOf(attempt)).toMatchObject({ code: "23502" });
});

test("claims are deleted with their API key", async () => {
  const { id, keys } = await mintOrganization();
  await createTag(id, keys.admin, "a key", crypto.randomUUID());
  await sql`delete from user_api_keys where organization_id = ${id} and role = 'Admin'`;
  expect(await sql`select from idempotency_keys where organization_id = ${id}`).toEqual([]);
});

test("the poller deletes claims that are older than 24 hours, a limited number at a time", async () => {
  const { id } = await mintOrganization();
  const key = await mintKey(id, { role: "Admin" });
  for (const name of ["one", "two", "three", "fresh"]) {
    await createTag(id, key, name, crypto.randomUUID());
  }
  // Older than the claims in other tests.
  await sql`update idempotency_keys set created_at = now() - interval '30 days'
    where organization_id = ${id} and key <> 'fresh'`;
  const sweep = async () => {
    const [, swept] = await sql.transaction([
      sql`set local role inventory_poller`,
      sql`select app.sweep_idempotency_keys(2) as count`,
    ]);
    return swept?.[0]?.["count"];
  };
  const left = async () =>
    (await sql`select key from idempotency_keys where organization_id = ${id}`).length;
  expect([await sweep(), await left()]).toEqual([2, 2]);
  await sweep();
  expect(await left()).toBe(1);
  const asApi = sql.transaction([becomeApi(), sql`select app.sweep_idempotency_keys(2)`]);
  expect(await refusalOf(asApi)).toMatchObject({ code: "42501" });
});

// PGlite has one connection, so its writers run one after the other. Set TEST_DATABASE_URL to run
// these tests.
describe.skipIf(!inject("isRealPostgres"))("eight concurrent requests", () => {
  test("one creates records, and the other seven get the ids of those records, in every round", {
    timeout: 120_000,
  }, async () => {
    const { id, keys } = await mintOrganization();
    for (let round = 0; round < 25; round++) {
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, async () => {
          const tag = crypto.randomUUID();
          const attempt = abortionOf(createTag(id, keys.admin, `round ${round}`, tag));
          // The helper fails if the transaction succeeds.
          return attempt.then(
            (replayed) => ({ replayed }),
            () => ({ created: tag }),
          );
        }),
      );
      const created = outcomes.flatMap((outcome) =>
        "created" in outcome ? [outcome.created] : [],
      );
      expect(created).toHaveLength(1);
      const replayed = outcomes.flatMap((outcome) =>
        "replayed" in outcome ? [outcome.replayed] : [],
      );
      expect(replayed).toHaveLength(7);
      for (const { sqlstate, detail } of replayed) {
        expect([sqlstate, detail["record_ids"]]).toEqual(["INV02", created]);
      }
    }
    const [row] = await sql`select count(*)::int from tags where organization_id = ${id}`;
    expect(row).toEqual({ count: 27 });
  });
});

import { describe, expect, test } from "vitest";
import { failed, invalidAt, seen } from "../helpers/answers.ts";
import { type Answer, openApi } from "../helpers/api.ts";
import { sql } from "../helpers/database.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";
import { callerOf, etagOf, kinds, recordIn, recordsIn, tagKind } from "../helpers/records.ts";
import { changingNothing } from "../helpers/rows.ts";

const isReplayed = (answer: Answer) => answer.headers.get("Idempotent-Replayed") === "true";
const withKey = (key: string = crypto.randomUUID()) => ({ headers: { "Idempotency-Key": key } });

describe.each(kinds)("an Idempotency-Key at $path", (kind) => {
  const open = async () => {
    const organization = await mintOrganization();
    const api = openApi();
    const caller = callerOf(api, organization.keys.admin, kind);
    // This request lets the isolate cache the key's organization.
    await openApi().send("GET", "/api/v1/auth/whoami", { key: organization.keys.admin });
    return { organization, api, ...caller, body: kind.body(organization) };
  };

  test("replays a repeated request, with the same status, location and entity tag", async () => {
    const { organization, api, create, body } = await open();
    const options = withKey();
    const first = await create(body, options);
    expect(await api.calls()).toBe(1);
    const second = await changingNothing(organization.id, () => create(body, options));
    expect(await api.calls()).toBe(3);
    expect(recordIn(second, 201)).toEqual(recordIn(first, 201));
    expect(etagOf(second)).toBe(etagOf(first));
    expect(second.headers.get("Location")).toBe(first.headers.get("Location"));
    expect([isReplayed(first), isReplayed(second)]).toEqual([false, true]);
  });

  test("replays the current record, with its current entity tag", async () => {
    const { organization, create, replace, body } = await open();
    const options = withKey();
    const { id } = recordIn(await create(body, options), 201);
    const changed = await replace(id, kind.body(organization));
    const replayed = await create(body, options);
    expect(recordIn(replayed, 201)).toEqual(recordIn(changed));
    expect(etagOf(replayed)).toBe(etagOf(changed));
  });

  test("replays a bulk create in request order, with the records that still exist", async () => {
    const { organization, createMany, remove } = await open();
    const bodies = Array.from({ length: 3 }, () => kind.body(organization));
    const options = withKey();
    const records = recordsIn(await createMany(bodies, options), 201);
    const replayed = await createMany(bodies, options);
    expect(recordsIn(replayed, 201)).toEqual(records);
    expect(isReplayed(replayed)).toBe(true);
    await remove(String(records[1]?.id));
    expect(recordsIn(await createMany(bodies, options), 201)).toEqual([records[0], records[2]]);
  });

  test("does not recreate a deleted record, but returns 404 with its id", async () => {
    const { organization, create, remove, body } = await open();
    const options = withKey();
    const { id } = recordIn(await create(body, options), 201);
    await remove(id);
    const answer = await changingNothing(organization.id, () => create(body, options));
    expect(seen(answer)).toEqual(failed("entity_not_found", { entity: kind.entity, id }));
  });

  test("rejects a different body, a different operation, or the same body encoded as different bytes", async () => {
    const { organization, create, createMany, body } = await open();
    const options = withKey();
    recordIn(await create(body, options), 201);
    await changingNothing(organization.id, async () => {
      const answers = [
        await create(kind.body(organization), options),
        await createMany([body], options),
        await create(undefined, {
          body: `${JSON.stringify(body)} `,
          headers: { ...options.headers, "Content-Type": "application/json" },
        }),
      ];
      for (const answer of answers) {
        expect(seen(answer)).toEqual(failed("idempotency_key_reused"));
        expect(isReplayed(answer)).toBe(false);
      }
    });
  });

  test("is not consumed by a request that fails", async () => {
    const { organization, create, body } = await open();
    const options = withKey();
    const id = crypto.randomUUID();
    recordIn(await create({ ...kind.body(organization), id }), 201);
    await changingNothing(organization.id, async () => {
      expect(await create({ ...body, id }, options)).toMatchObject({ status: 409 });
      expect(await create({ ...body, name: "" }, options)).toMatchObject({ status: 400 });
    });
    const answer = await create(body, options);
    recordIn(answer, 201);
    expect(isReplayed(answer)).toBe(false);
  });

  test("every request without an Idempotency-Key creates a record", async () => {
    const { organization, create } = await open();
    const records = [];
    for (let round = 0; round < 2; round++) {
      records.push(recordIn(await create(kind.body(organization)), 201).id);
    }
    expect(new Set(records).size).toBe(2);
  });
});

const open = async () => {
  const organization = await mintOrganization();
  return { organization, ...callerOf(openApi(), organization.keys.admin, tagKind) };
};

test.each([
  ["a bare and a quoted string", "a-key", '"a-key"'],
  ["a quoted and a bare string", '"a-key"', "a-key"],
  ["255 characters, bare and quoted", "k".repeat(255), `"${"k".repeat(255)}"`],
  ["one character, bare and quoted", "!", '"!"'],
])("%s are the same key", async (_, first, second) => {
  const { organization, create } = await open();
  const body = tagKind.body(organization);
  const created = recordIn(await create(body, withKey(first)), 201);
  const replayed = await create(body, withKey(second));
  expect(recordIn(replayed, 201)).toEqual(created);
  expect(isReplayed(replayed)).toBe(true);
});

test("keys are case-sensitive", async () => {
  const { organization, create } = await open();
  recordIn(await create(tagKind.body(organization), withKey("key")), 201);
  recordIn(await create(tagKind.body(organization), withKey("KEY")), 201);
});

test.each([
  ["256 characters", "k".repeat(256)],
  ["256 characters in quotes", `"${"k".repeat(256)}"`],
  ["nothing", ""],
  ["empty quotes", '""'],
  ["a lone quotation mark", '"'],
  ["an unterminated quoted string", '"a-key'],
  ["a string with a space inside", "a key"],
  ["a non-ASCII letter", "schl\u00fcssel"],
])("rejects a key that consists of %s", async (_, key) => {
  const { organization, create } = await open();
  const answer = await changingNothing(organization.id, () =>
    create(tagKind.body(organization), withKey(key)),
  );
  expect(seen(answer)).toEqual(invalidAt("header.idempotency-key"));
  expect(answer.text).toContain("must be 1 to 255 visible ASCII characters");
});

test("keys are separate for each API key, whether in the same organization or in another", async () => {
  const { organization, create } = await open();
  const body = { name: "Same" };
  const options = withKey("a-key");
  const { id } = recordIn(await create(body, options), 201);
  const other = await mintKey(organization.id, { role: "Admin" });
  const beside = callerOf(openApi(), other, tagKind);
  const answer = await beside.create({ name: "Beside" }, options);
  expect(recordIn(answer, 201).id).not.toBe(id);
  const foreign = await open();
  const abroad = await foreign.create(body, options);
  expect(isReplayed(abroad)).toBe(false);
  expect(recordIn(abroad, 201)).toMatchObject({ organization_id: foreign.organization.id });
});

test.each([
  [60, true],
  [0, false],
])(
  "a request with a key whose 24 hours end in %i seconds is replayed: %s",
  async (left, replays) => {
    const { organization, create, remove } = await open();
    const body = tagKind.body(organization);
    const options = withKey();
    const { id } = recordIn(await create(body, options), 201);
    await sql`update idempotency_keys
    set created_at = now() - interval '24 hours' + make_interval(secs => ${left})
    where organization_id = ${organization.id}`;
    if (!replays) {
      await remove(id);
    }
    const answer = await create(body, options);
    expect(recordIn(answer, 201).id === id).toBe(replays);
    expect(isReplayed(answer)).toBe(replays);
  },
);

test("a request with an id from the caller is replayed rather than rejected because the id is taken", async () => {
  const { organization, create } = await open();
  const body = { ...tagKind.body(organization), id: crypto.randomUUID() };
  const options = withKey();
  const first = await create(body, options);
  const replayed = await create(body, options);
  expect(recordIn(replayed, 201)).toEqual(recordIn(first, 201));
});

test("repeating a request returns the created record if the first response was lost", async () => {
  const organization = await mintOrganization();
  const api = openApi();
  const { create } = callerOf(api, organization.keys.admin, tagKind);
  const body = tagKind.body(organization);
  const options = withKey();
  await api.disturb({ faults: [{ kind: "lost_answer" }] });
  expect(await create(body, options)).toMatchObject({ status: 503 });
  const answer = await changingNothing(organization.id, () => create(body, options));
  expect(recordIn(answer, 201)).toMatchObject(body);
  expect(isReplayed(answer)).toBe(true);
});

test("PUT by external id and bulk PATCH ignore an Idempotency-Key, and leave it to a POST", async () => {
  const { keys } = await mintOrganization();
  const api = openApi();
  const key = keys.admin;
  const options = withKey();
  const upsert = (name: string) =>
    api.send("PUT", "/api/v1/tags/by-external-id/one", { key, json: { name }, ...options });
  const created = await upsert("First");
  const { id } = recordIn(created, 201);
  const patch = (name: string) =>
    api.send("PATCH", "/api/v1/tags/bulk", { key, json: [{ id, name }], ...options });
  const answers = [created, await upsert("Second"), await patch("Third"), await patch("Fourth")];
  expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200]);
  expect(answers.some(isReplayed)).toBe(false);
  const posted = await callerOf(api, key, tagKind).create({ name: "Fifth" }, options);
  expect(posted).toMatchObject({ status: 201, body: { data: { name: "Fifth" } } });
  expect(isReplayed(posted)).toBe(false);
});

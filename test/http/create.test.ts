import { describe, expect, test } from "vitest";
import { failed, invalidAt, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { mintOrganization } from "../helpers/organization.ts";
import { callerOf, etagOf, kinds, recordIn, recordsIn } from "../helpers/records.ts";
import { changingNothing } from "../helpers/rows.ts";

describe.each(kinds)("creating at $path", (kind) => {
  const open = async () => {
    const organization = await mintOrganization();
    const api = openApi();
    return { organization, api, ...callerOf(api, organization.keys.admin, kind) };
  };

  test("returns 201 with the whole record, its defaults, its location and its entity tag", async () => {
    const { organization, create, read } = await open();
    const body = kind.body(organization);
    const answer = await create(body);
    const created = recordIn(answer, 201);
    expect(created).toEqual({
      ...kind.defaults,
      ...body,
      id: expect.any(String),
      organization_id: organization.id,
      created_at: expect.any(String),
      updated_at: created.created_at,
    });
    expect(answer.headers.get("Location")).toBe(`${kind.path}/${created.id}`);
    expect(answer.headers.has("Idempotent-Replayed")).toBe(false);
    const fetched = await read(created.id);
    expect(recordIn(fetched)).toEqual(created);
    expect(etagOf(fetched)).toBe(etagOf(answer));
  });

  test("accepts an id from the caller, and ignores response-only fields", async () => {
    const { organization, create } = await open();
    const id = crypto.randomUUID();
    const ignored = { created_at: "never", updated_at: null };
    const sent = { ...kind.body(organization), ...ignored, id: id.toUpperCase() };
    const answer = await create(sent);
    expect(recordIn(answer, 201)).toMatchObject({
      id,
      created_at: expect.stringMatching(/^\d{4}-/),
    });
    expect(answer.headers.get("Location")).toBe(`${kind.path}/${id}`);
  });

  test("rejects an id that is taken in the organization, and returns it", async () => {
    const { organization, create } = await open();
    const { id } = recordIn(await create(kind.body(organization)), 201);
    const answer = await changingNothing(organization.id, () =>
      create({ ...kind.body(organization), id }),
    );
    expect(seen(answer)).toEqual(
      failed("entity_already_exists", { entity: kind.entity, field: "body.id", id }),
    );
  });

  test("accepts an id that is taken in another organization", async () => {
    const [first, second] = [await open(), await open()];
    const { id } = recordIn(await first.create(kind.body(first.organization)), 201);
    const before = await first.read(id);
    const answer = await second.create({ ...kind.body(second.organization), id });
    expect(recordIn(answer, 201)).toMatchObject({ id, organization_id: second.organization.id });
    const after = await first.read(id);
    expect(after.body).toEqual(before.body);
    expect(etagOf(after)).toBe(etagOf(before));
    recordIn(await second.remove(id).then(() => first.read(id)));
  });

  test.each([
    ["an unknown field", { nam: "x" }, "body.nam"],
    ["an invalid id", { id: "x" }, "body.id"],
    ["null as the name", { name: null }, "body.name"],
    ["a name of only spaces", { name: "  " }, "body.name"],
    ["a name of 101 characters", { name: "x".repeat(101) }, "body.name"],
    ["a name with a NUL character", { name: "a\0b" }, "body.name"],
  ])("rejects %s", async (_, changes, path) => {
    const { organization, create } = await open();
    const answer = await changingNothing(organization.id, () =>
      create({ ...kind.body(organization), ...changes }),
    );
    expect(seen(answer)).toEqual(invalidAt(path));
  });

  test("trims the name, which can be up to 100 characters long", async () => {
    const { organization, create } = await open();
    const name = "😀".repeat(100);
    const answer = await create({ ...kind.body(organization), name: ` ${name}\t` });
    expect(recordIn(answer, 201)).toMatchObject({ name });
  });

  test("creates 100 records in one call, in request order", async () => {
    const { organization, api, createMany } = await open();
    await openApi().send("GET", "/api/v1/auth/whoami", { key: organization.keys.admin });
    const bodies = Array.from({ length: 100 }, (_, position) => ({
      ...kind.body(organization),
      ...(position % 2 ? { id: crypto.randomUUID() } : {}),
    }));
    const records = recordsIn(await createMany(bodies), 201);
    expect(records.map(({ id: _, ...record }) => record)).toMatchObject(
      bodies.map(({ name }) => ({ ...kind.defaults, name, organization_id: organization.id })),
    );
    expect(records.map(({ id }) => id)).toEqual(
      bodies.map((body) => ("id" in body ? body.id : expect.any(String))),
    );
    expect(await api.calls()).toBe(1);
  });

  test("rejects a bulk create of 0 or 101 records", async () => {
    const { organization, createMany } = await open();
    const bodies = Array.from({ length: 101 }, () => kind.body(organization));
    expect(seen(await createMany([]))).toEqual(invalidAt("body"));
    const answer = await changingNothing(organization.id, () => createMany(bodies));
    expect(seen(answer)).toEqual(invalidAt("body"));
    expect(answer.text).toContain("must have at most 100 members");
  });

  test("reports all errors in a bulk create with their positions, and creates no records", async () => {
    const { organization, createMany } = await open();
    const bodies = Array.from({ length: 14 }, () => kind.body(organization));
    bodies[12] = { ...kind.body(organization), name: "" };
    bodies[13] = { ...kind.body(organization), ...{ unknown: 1 } };
    const answer = await changingNothing(organization.id, () => createMany(bodies));
    expect(seen(answer)).toEqual(invalidAt("body[12].name", "body[13].unknown"));
  });

  test("rejects an id that two records in a bulk create share, regardless of case", async () => {
    const { organization, createMany } = await open();
    const id = crypto.randomUUID();
    const answer = await changingNothing(organization.id, () =>
      createMany([
        { ...kind.body(organization), id },
        kind.body(organization),
        { ...kind.body(organization), id: id.toUpperCase() },
      ]),
    );
    expect(seen(answer)).toEqual(invalidAt("body[2].id"));
    expect(answer.text).toContain("give each record its own id");
  });

  test("creates none of the records in a bulk create if an id is taken", async () => {
    const { organization, create, createMany } = await open();
    const { id } = recordIn(await create(kind.body(organization)), 201);
    const answer = await changingNothing(organization.id, () =>
      createMany([kind.body(organization), { ...kind.body(organization), id }]),
    );
    expect(seen(answer)).toEqual(
      failed("entity_already_exists", { entity: kind.entity, field: "body[1].id", id }),
    );
  });
});

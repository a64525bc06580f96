import { describe, expect, test } from "vitest";
import { failed, invalidAt, seen, succeeded } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { mintOrganization } from "../helpers/organization.ts";
import { callerOf, kinds, recordIn, recordsIn } from "../helpers/records.ts";
import { changingNothing } from "../helpers/rows.ts";

describe.each(kinds)("deleting from $path", (kind) => {
  const open = async () => {
    const organization = await mintOrganization();
    const api = openApi();
    return { organization, api, ...callerOf(api, organization.keys.admin, kind) };
  };

  test("deletes one record, and then returns 404 for it", async () => {
    const { organization, create, read, remove } = await open();
    const { id } = recordIn(await create(kind.body(organization)), 201);
    expect(seen(await remove(id.toUpperCase()))).toEqual(succeeded({}));
    const gone = failed("entity_not_found", { entity: kind.entity, id });
    expect(seen(await read(id))).toEqual(gone);
    expect(seen(await remove(id))).toEqual(gone);
  });

  test("deletes many records in one call, and skips unknown ids and ids of another organization", async () => {
    const { organization, api, createMany, removeMany, read } = await open();
    const foreign = await open();
    const bodies = Array.from({ length: 3 }, () => kind.body(organization));
    const own = recordsIn(await createMany(bodies), 201).map(({ id }) => id);
    const theirs = recordIn(await foreign.create(kind.body(foreign.organization)), 201).id;
    const before = await api.calls();
    const sent = [crypto.randomUUID(), ...own.slice(1), theirs];
    expect(seen(await removeMany(sent))).toEqual(
      succeeded({ requested_count: 4, deleted_count: 2 }),
    );
    expect(await api.calls()).toBe(before + 1);
    recordIn(await read(String(own[0])));
    recordIn(await foreign.read(theirs));
    expect(seen(await removeMany(sent))).toEqual(
      succeeded({ requested_count: 4, deleted_count: 0 }),
    );
  });

  test("accepts 1,000 ids, and rejects 0 or 1,001 ids, a duplicate id and an invalid id", async () => {
    const { organization, removeMany } = await open();
    const ids = Array.from({ length: 1001 }, () => crypto.randomUUID());
    const [id = ""] = ids;
    await changingNothing(organization.id, async () => {
      expect(seen(await removeMany(ids.slice(1)))).toEqual(
        succeeded({ requested_count: 1000, deleted_count: 0 }),
      );
      expect(seen(await removeMany([]))).toEqual(invalidAt("body"));
      expect(seen(await removeMany(ids))).toEqual(invalidAt("body"));
      expect(seen(await removeMany([id, id.toUpperCase()]))).toEqual(invalidAt("body[1]"));
      expect(seen(await removeMany([id, "x"]))).toEqual(invalidAt("body[1]"));
      expect(seen(await removeMany({ ids: [id] }))).toEqual(invalidAt("body"));
    });
  });

  test("rejects unknown query parameters", async () => {
    const { organization, api, create } = await open();
    const { id } = recordIn(await create(kind.body(organization)), 201);
    const answer = await changingNothing(organization.id, () =>
      api.send("DELETE", `${kind.path}/${id}?force=true`, { key: organization.keys.admin }),
    );
    expect(seen(answer)).toEqual(invalidAt("query.force"));
  });
});

import { describe, expect, test } from "vitest";
import { failed, invalidAt, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { mintOrganization } from "../helpers/organization.ts";
import { callerOf, etagOf, kinds, recordIn } from "../helpers/records.ts";
import { changingNothing } from "../helpers/rows.ts";

describe.each(kinds)("replacing a record in $path", (kind) => {
  const open = async () => {
    const organization = await mintOrganization();
    const api = openApi();
    const caller = callerOf(api, organization.keys.admin, kind);
    const created = await caller.create(kind.body(organization));
    return { organization, api, ...caller, created, ...recordIn(created, 201) };
  };

  test("changes only updated_at and the entity tag if the record is sent back unchanged", async () => {
    const { id, created, replace, read } = await open();
    const before = recordIn(created, 201);
    const answer = await replace(id, before);
    const after = recordIn(answer);
    expect(after).toEqual({ ...before, updated_at: after.updated_at });
    expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(before.updated_at));
    expect(etagOf(answer)).not.toBe(etagOf(created));
    expect(etagOf(await read(id))).toBe(etagOf(answer));
  });

  test("accepts the record's id in upper or lower case, and rejects any other id", async () => {
    const { id, organization, replace } = await open();
    recordIn(await replace(id.toUpperCase(), { ...kind.body(organization), id: id.toUpperCase() }));
    const answer = await changingNothing(organization.id, () =>
      replace(id, { ...kind.body(organization), id: crypto.randomUUID() }),
    );
    expect(seen(answer)).toEqual(invalidAt("body.id"));
    expect(answer.text).toContain("must be the id in the path, or be omitted");
  });

  test("rejects unknown fields", async () => {
    const { id, organization, replace } = await open();
    const answer = await changingNothing(organization.id, () =>
      replace(id, { ...kind.body(organization), tag: [] }),
    );
    expect(seen(answer)).toEqual(invalidAt("body.tag"));
  });

  test("does not create a missing record", async () => {
    const { organization, replace } = await open();
    const id = crypto.randomUUID();
    const answer = await changingNothing(organization.id, () =>
      replace(id, kind.body(organization)),
    );
    expect(seen(answer)).toEqual(failed("entity_not_found", { entity: kind.entity, id }));
  });
});

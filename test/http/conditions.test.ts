import { beforeAll, describe, expect, test } from "vitest";
import { failed, invalidAt, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { mintOrganization, type Organization } from "../helpers/organization.ts";
import { callerOf, etagOf, kinds, recordIn } from "../helpers/records.ts";
import { changingNothing } from "../helpers/rows.ts";

/** Headers that match an entity tag, headers that do not match it, and malformed headers. */
const naming: [string, (etag: string) => string][] = [
  ["the tag", (etag) => etag],
  ["the tag surrounded by spaces", (etag) => ` ${etag} `],
  ["a list with the tag", (etag) => `"one", ${etag},"two"`],
  ["a list with empty members", (etag) => `, ${etag} ,,`],
  ["a list with a comma inside a tag", (etag) => `"a,b", ${etag}`],
  ["any", () => "*"],
];
const others: [string, (etag: string) => string][] = [
  ["another tag", () => '"0-0"'],
  ["a list of other tags", () => '"one", W/"two"'],
  ["the tag with an additional character", (etag) => etag.replace(/"$/, '0"')],
  ["the tag within another tag", (etag) => `"x,${etag.slice(1)}`],
];
const malformed: [string, (etag: string) => string][] = [
  ["without quotes", (etag) => etag.replaceAll('"', "")],
  ["a missing quote", (etag) => etag.slice(0, -1)],
  ["two tags without a comma", (etag) => `${etag} ${etag}`],
  ["a lower-case w", (etag) => `w/${etag}`],
  ["a list with *", (etag) => `${etag}, *`],
  ["only commas", () => " , "],
  // Over HTTP, the runtime drops an empty header (API contract, section 7).
  ["nothing", () => ""],
  ["a space inside a tag", () => '"a b"'],
];

describe.each(kinds)("conditional requests for a record in $path", (kind) => {
  let organization: Organization;

  beforeAll(async () => {
    organization = await mintOrganization();
  });

  const open = async () => {
    const caller = callerOf(openApi(), organization.keys.admin, kind);
    const created = await caller.create(kind.body(organization));
    return { ...caller, id: recordIn(created, 201).id, etag: etagOf(created) };
  };

  test.each(naming)("If-Match with %s allows PUT and DELETE", async (_, of) => {
    const { id, etag, replace, remove } = await open();
    const replaced = await replace(id, kind.body(organization), { "If-Match": of(etag) });
    const removed = await remove(id, { "If-Match": of(etagOf(replaced)) });
    expect(removed).toMatchObject({ status: 200, body: { success: true, data: {} } });
  });

  test.each([
    ...others.map(([what, of]) => [what, of, {}] as const),
    ["the tag as a weak tag", (etag: string) => `W/${etag}`, { is_weak: true }] as const,
  ])("If-Match with %s changes nothing and returns the current tag", async (_, of, more) => {
    const { id, etag, replace, remove } = await open();
    const headers = { "If-Match": of(etag) };
    await changingNothing(organization.id, async () => {
      const answers = [
        await replace(id, kind.body(organization), headers),
        await remove(id, headers),
      ];
      for (const answer of answers) {
        expect(seen(answer)).toEqual(failed("precondition_failed", { etag, ...more }));
      }
    });
  });

  test.each(malformed)("rejects a header with %s", async (_, of) => {
    const { id, etag, replace, remove, read } = await open();
    const headers = { "If-Match": of(etag) };
    const answers = [
      await replace(id, kind.body(organization), headers),
      await remove(id, headers),
    ];
    for (const answer of answers) {
      expect(seen(answer)).toEqual(invalidAt("header.if-match"));
    }
    const answer = await read(id, { "If-None-Match": of(etag) });
    expect(seen(answer)).toEqual(invalidAt("header.if-none-match"));
    recordIn(await read(id, { "If-None-Match": '"0-0"' }));
  });

  test("rejects an old tag, but without a tag the last write wins", async () => {
    const { id, etag, replace } = await open();
    const winner = await replace(id, kind.body(organization), { "If-Match": etag });
    const loser = await replace(id, kind.body(organization), { "If-Match": etag });
    expect(seen(loser)).toEqual(failed("precondition_failed", { etag: etagOf(winner) }));
    recordIn(await replace(id, kind.body(organization)));
  });

  test("If-Match on a record that does not exist results in 404", async () => {
    const { remove } = await open();
    const id = crypto.randomUUID();
    for (const header of ["*", '"0-0"']) {
      expect(seen(await remove(id, { "If-Match": header }))).toEqual(
        failed("entity_not_found", { entity: kind.entity, id }),
      );
    }
  });

  test.each([
    ...naming,
    ["the tag as a weak tag", (etag: string) => `W/${etag}`] as const,
    ["a list with the tag as a weak tag", (etag: string) => `"one", W/${etag}`] as const,
  ])("If-None-Match with %s results in 304 with the tag and without a body", async (_, of) => {
    const { id, etag, read } = await open();
    const answer = await read(id, { "If-None-Match": of(etag) });
    expect(answer).toMatchObject({ status: 304, text: "" });
    expect(etagOf(answer)).toBe(etag);
  });

  test.each(others)("If-None-Match with %s returns the record", async (_, of) => {
    const { id, etag, read } = await open();
    const answer = await read(id, { "If-None-Match": of(etag) });
    expect(recordIn(answer)).toMatchObject({ id });
    expect(etagOf(answer)).toBe(etag);
  });

  test("a record with the id of a deleted record never has any of the deleted record's entity tags", async () => {
    const { id, etag, replace, remove, create, read } = await open();
    const before = [etag];
    for (let change = 0; change < 3; change++) {
      before.push(etagOf(await replace(id, kind.body(organization))));
    }
    await remove(id);
    const after = [etagOf(await create({ ...kind.body(organization), id }))];
    for (let change = 0; change < 3; change++) {
      after.push(etagOf(await replace(id, kind.body(organization))));
    }
    expect(new Set([...before, ...after]).size).toBe(8);
    recordIn(await read(id, { "If-None-Match": before.join(", ") }));
  });
});

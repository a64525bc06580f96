import { expect, test } from "vitest";
import { failed, invalidAt, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { mintOrganization } from "../helpers/organization.ts";
import { callerOf, recordIn, recordsIn, tagKind } from "../helpers/records.ts";
import { changingNothing } from "../helpers/rows.ts";

async function open() {
  const organization = await mintOrganization();
  return { organization, ...callerOf(openApi(), organization.keys.admin, tagKind) };
}

const taken = (id: unknown, field = "body.name") =>
  failed("entity_already_exists", { entity: "Tag", field, id });

/** Names that are equal regardless of case. */
const same = [
  ["printers", "PRINTERS"],
  ["München Über", "MÜNCHEN über"],
  ["ΣΊΣΥΦΟΣ", "σίσυφος"],
  ["Ёлка", "ёЛКА"],
  [" printers ", "printers"],
] as const;

test.each(same)("a tag %j makes the name %j unavailable", async (first, second) => {
  const { organization, create, createMany, replace } = await open();
  const { id } = recordIn(await create({ name: first }), 201);
  const other = recordIn(await create({ name: "other" }), 201);
  await changingNothing(organization.id, async () => {
    expect(seen(await create({ name: second }))).toEqual(taken(id));
    expect(seen(await createMany([{ name: "new" }, { name: second }]))).toEqual(
      taken(id, "body[1].name"),
    );
    expect(seen(await replace(other.id, { name: second }))).toEqual(taken(id));
  });
});

test.each(same)("rejects %j and %j in one request", async (first, second) => {
  const { organization, createMany } = await open();
  const answer = await changingNothing(organization.id, () =>
    createMany([{ name: first }, { name: "between" }, { name: second }]),
  );
  expect(seen(answer)).toEqual(invalidAt("body[2].name"));
  expect(answer.text).toContain("is the name of another tag of this request");
});

test.each(["printer", "pr\u00efnters", "prin ters", "printers!"])(
  "the name %j differs from printers",
  async (name) => {
    const { createMany } = await open();
    expect(recordsIn(await createMany([{ name: "printers" }, { name }]), 201)).toHaveLength(2);
  },
);

test("reports every repeated name in a bulk create before a taken name", async () => {
  const { create, createMany } = await open();
  await create({ name: "taken" });
  const names = ["one", "One", "two", "ONE", "Taken", "TWO"];
  const answer = await createMany(names.map((name) => ({ name })));
  expect(seen(answer)).toEqual(invalidAt("body[1].name", "body[3].name", "body[5].name"));
});

test("a PUT can keep a tag's name, even in a different case", async () => {
  const { create, replace } = await open();
  const { id } = recordIn(await create({ name: "Über" }), 201);
  for (const name of ["Über", "üBER"]) {
    expect(recordIn(await replace(id, { name }))).toMatchObject({ id, name });
  }
});

test("the previous name of a renamed or deleted tag is available again", async () => {
  const { create, replace, remove } = await open();
  const { id } = recordIn(await create({ name: "printers" }), 201);
  await replace(id, { name: "scanners" });
  const second = recordIn(await create({ name: "Printers" }), 201).id;
  await remove(second);
  recordIn(await replace(id, { name: "PRINTERS" }));
});

test("accepts names that other organizations use", async () => {
  const [first, second] = [await open(), await open()];
  recordIn(await first.create({ name: "printers" }), 201);
  recordIn(await second.create({ name: "printers" }), 201);
});

test("reports a taken id before a taken name", async () => {
  const { create } = await open();
  const { id } = recordIn(await create({ name: "printers" }), 201);
  expect(seen(await create({ name: "printers", id }))).toEqual(taken(id, "body.id"));
});

test("a PUT replaces every field", async () => {
  const { create, replace } = await open();
  const sent = { name: "printers", description: "All of them", color: "Teal" };
  const { id } = recordIn(await create(sent), 201);
  const replaced = recordIn(await replace(id, { name: "printers" }));
  expect(replaced).toMatchObject({ name: "printers", description: null, color: "Gray" });
});

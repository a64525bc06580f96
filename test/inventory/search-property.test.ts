import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sql } from "../helpers/database.ts";
import { openInventory } from "../helpers/inventory.ts";

/** Letters, signs that `like`, an index or an address knows, and what is not ASCII, of few and many bytes. */
const alphabet = [..."abBxz .:-/_%\\('\"^ßéÉ·–漢🖥💾🖨"];

const text = fc
  .array(fc.constantFrom(...alphabet), { minLength: 1, maxLength: 8 })
  .map((characters) => characters.join("").trim())
  .filter((characters) => characters !== "");

test("a search finds what contains the text, in any case, whichever characters it has", async () => {
  const { create, send, list, organization } = await openInventory();
  const { id: host_id } = await create("hosts", { name: "host" });
  // Always the same, so that the seed of a failure repeats it.
  const names = fc.sample(text, { numRuns: 100, seed: 1 });
  expect(
    await send(
      "POST",
      "services/bulk",
      names.map((name) => ({ host_id, name })),
    ),
  ).toMatchObject({
    status: 201,
  });
  const parts = fc
    .tuple(fc.constantFrom(...names), fc.nat(6), fc.integer({ min: 1, max: 4 }))
    .map(([name, start, length]) =>
      [...name]
        .slice(start, start + length)
        .join("")
        .trim(),
    )
    .filter((part) => part !== "");
  await fc.assert(
    fc.asyncProperty(fc.oneof(parts, text), async (asked) => {
      const found = (await list("services", { q: asked, limit: "1000" })).map(({ name }) => name);
      const expected = await sql`
        select name from services where organization_id = ${organization.id}
          and strpos(lower(name collate "und-x-icu"), lower(${asked}::text collate "und-x-icu")) > 0`;
      expect(found.sort()).toEqual(expected.map(({ name }) => name).sort());
    }),
    { numRuns: 100 },
  );
});

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sql } from "../helpers/database.ts";
import { openInventory } from "../helpers/inventory.ts";

/**
 * Letters, characters with a special meaning in `like`, an index or an address, and characters
 * outside ASCII that take few or many bytes.
 */
const alphabet = [..."abBxz .:-/_%\\('\"^ßéÉ·–漢🖥💾🖨"];

const text = fc
  .array(fc.constantFrom(...alphabet), { minLength: 1, maxLength: 8 })
  .map((characters) => characters.join("").trim())
  .filter((characters) => characters !== "");

test("a search lists the records that contain the text, regardless of case and of the characters in the text", async () => {
  const { create, send, list, organization } = await openInventory();
  const { id: host_id } = await create("hosts", { name: "host" });
  // This seed is fixed, so that the seed of a failed run is enough to reproduce the names as well.
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
    fc.asyncProperty(fc.oneof(parts, text), async (q) => {
      const listed = (await list("services", { q, limit: "1000" })).map(({ name }) => name);
      const expected = await sql`
        select name from services where organization_id = ${organization.id}
          and strpos(lower(name collate "und-x-icu"), lower(${q}::text collate "und-x-icu")) > 0`;
      expect(listed.sort()).toEqual(expected.map(({ name }) => name).sort());
    }),
    { numRuns: 100 },
  );
});

import { expect, test } from "vitest";
import { tagInput } from "../../src/tags/input.ts";
import { issuesOf, pathsOf } from "../helpers/issues.ts";

/** The colors in section 8 of the API contract. */
const colors =
  "Pink Rose Red Amber Orange Green Emerald Teal Cyan Blue Indigo Purple Fuchsia Violet Sky Gray Lime Yellow".split(
    " ",
  );

test("omitted fields have their defaults", () => {
  expect(tagInput.parse({ name: " printers " })).toEqual({
    name: "printers",
    description: null,
    external_id: null,
    metadata: {},
    color: "Gray",
  });
});

test.each(colors)("accepts the color %s", (color) => {
  expect(tagInput.parse({ name: "printers", color })).toMatchObject({ color });
});

test.each(["gray", "Grey", "", null, 1])(
  "rejects the color %j and lists the valid colors",
  (color) => {
    const issues = issuesOf(tagInput, { name: "printers", color });
    expect(issues).toMatchObject([{ path: "color" }]);
    for (const one of colors) {
      expect(issues[0]?.message).toContain(one);
    }
  },
);

test("a description can be up to 500 characters long, and a blank one is null", () => {
  const of = (description: unknown) => ({ name: "printers", description });
  expect(pathsOf(tagInput, of("x".repeat(500)))).toEqual([]);
  expect(pathsOf(tagInput, of("x".repeat(501)))).toEqual(["description"]);
  expect(tagInput.parse(of(" "))).toMatchObject({ description: null });
});

test("rejects an unknown field by name", () => {
  expect(pathsOf(tagInput, { name: "printers", colour: "Red" })).toEqual(["colour"]);
});

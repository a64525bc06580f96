import { expect, test } from "vitest";
import { tagInput } from "../../src/tags/input.ts";
import { issuesOf, pathsOf } from "../helpers/issues.ts";

/** API contract, section 8. */
const colors =
  "Pink Rose Red Amber Orange Green Emerald Teal Cyan Blue Indigo Purple Fuchsia Violet Sky Gray Lime Yellow".split(
    " ",
  );

test("what is left out takes its default", () => {
  expect(tagInput.parse({ name: " printers " })).toEqual({
    name: "printers",
    description: null,
    color: "Gray",
  });
});

test.each(colors)("the color %s is one", (color) => {
  expect(tagInput.parse({ name: "printers", color })).toMatchObject({ color });
});

test.each(["gray", "Grey", "", null, 1])(
  "the color %j is none, and the others are named",
  (color) => {
    const issues = issuesOf(tagInput, { name: "printers", color });
    expect(issues).toMatchObject([{ path: "color" }]);
    for (const one of colors) {
      expect(issues[0]?.message).toContain(one);
    }
  },
);

test("a description has up to 500 characters, and blanks alone are null", () => {
  const of = (description: unknown) => ({ name: "printers", description });
  expect(pathsOf(tagInput, of("x".repeat(500)))).toEqual([]);
  expect(pathsOf(tagInput, of("x".repeat(501)))).toEqual(["description"]);
  expect(tagInput.parse(of(" "))).toMatchObject({ description: null });
});

test("an unknown field is an error that names it", () => {
  expect(pathsOf(tagInput, { name: "printers", colour: "Red" })).toEqual(["colour"]);
});

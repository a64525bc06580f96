import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type * as z from "zod";
import { id } from "../../src/http/input/id.ts";
import { idSet } from "../../src/http/input/set.ts";
import { name, textOf } from "../../src/http/input/text.ts";

const codesOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ code, path }) => [code, ...path]);

describe("a name", () => {
  test.each([
    ["a", "a"],
    ["  a b\t\n", "a b"],
    ["\u00a0\u3000\ufeffa\u2028", "a"],
    ["a".repeat(100), "a".repeat(100)],
    [` ${"a".repeat(100)} `, "a".repeat(100)],
    ["🦆".repeat(100), "🦆".repeat(100)],
    ["👩‍👩‍👧‍👦".repeat(14), "👩‍👩‍👧‍👦".repeat(14)],
    ["\u0001\u007f", "\u0001\u007f"],
    ["'; drop table organizations; --", "'; drop table organizations; --"],
  ])("accepts %j as %j", (sent, expected) => {
    expect(name.safeParse(sent)).toEqual({ success: true, data: expected });
  });

  test.each([
    ["", "too_small"],
    [" \t\n\u00a0", "too_small"],
    ["a".repeat(101), "too_big"],
    ["🦆".repeat(101), "too_big"],
    // Each family emoji consists of seven code points.
    ["👩‍👩‍👧‍👦".repeat(15), "too_big"],
    ["a\0b", "custom"],
    ["\0", "custom"],
    ["a\ud800", "custom"],
    ["\udc00a", "custom"],
    ["\udc00\ud800", "custom"],
    [5, "invalid_type"],
    [null, "invalid_type"],
    [["a"], "invalid_type"],
    [{}, "invalid_type"],
    [true, "invalid_type"],
  ])("rejects %j: %s", (sent, code) => {
    expect(codesOf(name, sent)).toEqual([[code]]);
  });

  test("accepts exactly the strings of 1 to 100 code points that Postgres can store", () => {
    const unit = fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom("a", " ", "🦆", "é", "\u3000") },
      { weight: 1, arbitrary: fc.constantFrom("\0", "\ud800", "\udc00") },
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 110, size: "max" }), (text) => {
        const trimmed = text.trim();
        const length = Array.from(trimmed).length;
        const isStorable = trimmed.isWellFormed() && !trimmed.includes("\0");
        const parsed = name.safeParse(text);
        expect(parsed.success).toBe(isStorable && length >= 1 && length <= 100);
        if (parsed.success) {
          expect(parsed.data).toBe(trimmed);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("text of 2 to 3 characters", () => {
  test.each([
    ["a", ["too_small"]],
    ["ab", undefined],
    ["🦆🦆🦆", undefined],
    ["  ", undefined],
    ["🦆", ["too_small"]],
    ["abcd", ["too_big"]],
  ])("%j", (text, codes) => {
    expect(codesOf(textOf(2, 3), text)?.flat()).toEqual(codes);
  });
});

describe("a UUID", () => {
  test.each([
    ["3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11", "3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11"],
    ["3F2C8A34-5B1E-4C0D-9A77-2D1F6F0B8E11", "3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11"],
    ["00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000000"],
    ["ffffffff-ffff-ffff-ffff-ffffffffffff", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
    ["01890a5d-ac96-774b-bcce-b302099a8057", "01890a5d-ac96-774b-bcce-b302099a8057"],
  ])("accepts %s", (sent, expected) => {
    expect(id.safeParse(sent)).toEqual({ success: true, data: expected });
  });

  test.each([
    [""],
    ["3f2c8a345b1e4c0d9a772d1f6f0b8e11"],
    ["{3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11}"],
    [" 3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11"],
    ["3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11\n"],
    ["3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e1"],
    ["3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e1g"],
    ["urn:uuid:3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11"],
  ])("rejects %j", (sent) => {
    expect(id.safeParse(sent)).toMatchObject({ success: false });
  });
});

describe("a set of ids", () => {
  const ids = (count: number) => Array.from({ length: count }, () => crypto.randomUUID());

  test("accepts 0 and 1,000 ids", () => {
    const thousand = ids(1000);
    expect(idSet.parse([])).toEqual([]);
    expect(idSet.parse(thousand)).toEqual(thousand);
  });

  test("rejects 1,001 ids", () => {
    expect(codesOf(idSet, ids(1001))).toEqual([["too_big"]]);
  });

  test("rejects each duplicate, in upper or lower case, at its position", () => {
    const [one, two] = ["3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11", crypto.randomUUID()];
    expect(codesOf(idSet, [one, two, one.toUpperCase(), two])).toEqual([
      ["custom", 2],
      ["custom", 3],
    ]);
  });
});

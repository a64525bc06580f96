import { describe, expect, test } from "vitest";
import { ifMatch, ifNoneMatch } from "../../src/http/input/entity-tag.ts";

describe("If-Match", () => {
  test.each([
    ['"a"', ['"a"']],
    [' "a" , "b,c" ', ['"a"', '"b,c"']],
    ['"a",,"b"', ['"a"', '"b"']],
    ['W/"a", "b"', ['"b"']],
    ['W/"a"', []],
    ["*", undefined],
  ])("parses %j", (header, tags) => {
    expect(ifMatch.parse(header)).toEqual(tags);
  });

  test.each(["a", '"a', '"a" "b"', '"a", x"y garbage', 'w/"a"', '"a"b', "", ",", '"a\u0001"'])(
    "rejects %j",
    (header) => {
      expect(ifMatch.safeParse(header).success).toBe(false);
    },
  );

  test("accepts 1,024 characters and rejects 1,025", () => {
    const tag = (length: number) => `"${"a".repeat(length - 2)}"`;
    expect(ifMatch.safeParse(tag(1024)).success).toBe(true);
    expect(ifMatch.safeParse(tag(1025)).success).toBe(false);
  });

  // A pattern that tries every way to split the spaces would take cubic time, and therefore
  // minutes.
  test("parses hostile spaces in linear time", { timeout: 2000 }, () => {
    const hostile = `"a",${" ".repeat(1017)}"x`;
    for (let round = 0; round < 1000; round++) {
      expect(ifMatch.safeParse(hostile).success).toBe(false);
    }
  });
});

test("If-None-Match compares weakly", () => {
  expect(ifNoneMatch.parse('W/"a"')?.('"a"')).toBe(true);
  expect(ifNoneMatch.parse('"b"')?.('"a"')).toBe(false);
  expect(ifNoneMatch.parse("*")?.('"a"')).toBe(true);
});

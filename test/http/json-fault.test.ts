import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonFault } from "../../src/http/body/json-fault.ts";

test.each([
  ['{"a": 1 "b": 2}', 1, 9],
  ["{a: 1}", 1, 2],
  ["{'a': 1}", 1, 2],
  ["[1, 2}", 1, 6],
  ["[1,, 2]", 1, 4],
  ["[01]", 1, 3],
  ["Acme", 1, 1],
  ["nul", 1, 1],
  ['{"a":\n  tru}', 2, 3],
  ['["a\nb"]', 1, 4],
  [String.raw`["\x"]`, 1, 3],
  ["1 2", 1, 3],
  ["{} {}", 1, 4],
  ["[,]", 1, 2],
  ["[1,,]", 1, 4],
])("%j is invalid at line %i, column %i", (text, line, column) => {
  expect(() => JSON.parse(text)).toThrow();
  expect(jsonFault(text)).toEqual({ line, column });
});

test.each([
  ["{", 1, 2],
  ["[1, 2", 1, 6],
  ['"open', 1, 6],
  ['{"a": 1,\n', 2, 1],
])("%j is truncated at line %i, column %i", (text, line, column) => {
  expect(jsonFault(text)).toEqual({ reason: "broken_off", line, column });
});

test.each([
  ['{"a": 1,}', 1, 8],
  ['{"a": [1, 2,\n ], "b": 1}', 1, 12],
  ['{\n  "a": 1 ,\n}', 2, 10],
])("%j has a trailing comma at line %i, column %i", (text, line, column) => {
  expect(jsonFault(text)).toEqual({ reason: "trailing_comma", line, column });
});

test.each(["", " ", "\r\n\t"])("%j is empty", (text) => {
  expect(jsonFault(text)).toEqual({ reason: "empty" });
});

test("valid JSON is read to the end", () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom("", "\n", " \t\r\n"), (text, space) => {
      const lines = `${text}${space}`.split("\n");
      expect(jsonFault(`${text}${space}`)).toEqual({
        reason: "broken_off",
        line: lines.length,
        column: (lines.at(-1) ?? "").length + 1,
      });
    }),
  );
});

test("does not report a fault before the position at which the JSON was broken", () => {
  const texts = fc
    .array(fc.stringMatching(/^[a-z ]{0,9}$/))
    .map((strings) => JSON.stringify(strings));
  fc.assert(
    fc.property(
      texts,
      fc.nat(),
      fc.constantFrom("}", "]", ",", ":", "x", '"'),
      (text, at, sign) => {
        const position = at % (text.length + 1);
        const broken = `${text.slice(0, position)}${sign}${text.slice(position)}`;
        expect(jsonFault(broken).column).toBeGreaterThanOrEqual(position);
      },
    ),
  );
});

test("reads a large body quickly", () => {
  const text = `[${'"a\\n",'.repeat(150_000)}`;
  const startedAt = performance.now();
  expect(jsonFault(text)).toEqual({ reason: "broken_off", line: 1, column: text.length + 1 });
  expect(performance.now() - startedAt).toBeLessThan(2000);
});

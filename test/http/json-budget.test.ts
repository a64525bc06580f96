import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findExcess, maxDepth, maxMembers } from "../../src/http/body/json-budget.ts";

const excessOf = (text: string) => findExcess(new TextEncoder().encode(text), maxMembers);
const list = (count: number, member = "0") => `[${Array(count).fill(member).join(",")}]`;

describe("the limits on a body", () => {
  test.each([
    ["the maximum number of members", list(maxMembers), null],
    ["one member too many", list(maxMembers + 1), "members"],
    ["the maximum number of fields", `{${list(maxMembers, '"a":0').slice(1, -1)}}`, null],
    ["one field too many", `{${list(maxMembers + 1, '"a":0').slice(1, -1)}}`, "members"],
    ["the maximum depth", "[".repeat(maxDepth) + "]".repeat(maxDepth), null],
    ["one level too deep", `${'{"a":'.repeat(maxDepth + 1)}0${"}".repeat(maxDepth + 1)}`, "depth"],
    ["brackets that never close", "[".repeat(1_000_000), "depth"],
    ["many adjacent arrays", list(4999, "[]"), null],
    ["a string of brackets and commas", JSON.stringify("[{,".repeat(100_000)), null],
    ["a string of quotes and backslashes", JSON.stringify('\\"[,'.repeat(100_000)), null],
    ["a string followed by too many members", `["\\\\",${list(maxMembers)}]`, "members"],
    ["a field name of brackets", JSON.stringify({ ["[".repeat(100)]: 0 }), null],
    ["nothing", "", null],
    ["an unterminated string", '"[[[[', null],
    ["a backslash at the end", '"\\', null],
  ])("%s", (_, text, excess) => {
    expect(excessOf(text)).toBe(excess);
  });

  test("counts only brackets and commas outside JSON strings", () => {
    const size = (value: unknown): number =>
      typeof value !== "object" || value === null
        ? 0
        : Math.max(Object.keys(value).length, 1) +
          Object.values(value).reduce<number>((sum, member) => sum + size(member), 0);
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), fc.integer({ min: 1, max: 3 }), (text, indent) => {
        const value: unknown = JSON.parse(text);
        const more = maxMembers - size(value) - 2;
        const spaced = JSON.stringify(value, null, indent);
        expect(excessOf(`[${spaced},${list(more)}]`)).toBe(null);
        expect(excessOf(`[${spaced},${list(more + 1)}]`)).toBe("members");
      }),
      { numRuns: 200 },
    );
  });
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { hashApiKey, mintApiKey, mintOperatorKey, typeOfKey } from "../../src/api-key.ts";

const base62 = [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"];
const random = fc.string({
  unit: fc.constantFrom(...base62),
  minLength: 32,
  maxLength: 32,
});

// Checksums calculated with zlib's crc32 function, in base62.
test.each([
  ["00000000000000000000000000000000", "0gXMMd"],
  ["ABCDEFGHIJKLMNOPQRSTUVWXYZ012345", "23woDA"],
  ["zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz", "26q31d"],
])("the checksum of %s is the CRC-32 %s", (text, checksum) => {
  expect(mintApiKey(text)).toBe(`inv_u_${text}${checksum}`);
  expect(typeOfKey(`inv_u_${text}${checksum}`)).toBe("user");
});

test("a minted key is well-formed", () => {
  fc.assert(
    fc.property(random, (text) => {
      const key = mintApiKey(text);
      expect(key).toMatch(/^inv_u_[0-9A-Za-z]{38}$/);
      expect(key.slice(6, 38)).toBe(text);
      expect(typeOfKey(key)).toBe("user");
    }),
  );
});

test("a key with any single character changed is not well-formed", () => {
  fc.assert(
    fc.property(
      random,
      fc.nat({ max: 43 }),
      fc.oneof(fc.constantFrom(...base62), fc.string({ unit: "binary", maxLength: 2 })),
      (text, position, replacement) => {
        const key = mintApiKey(text);
        const changed = key.slice(0, position) + replacement + key.slice(position + 1);
        expect(typeOfKey(changed)).toBe(changed === key ? "user" : null);
      },
    ),
    { numRuns: 2000 },
  );
});

test("a key with two adjacent characters swapped is not well-formed", () => {
  fc.assert(
    fc.property(random, fc.nat({ max: 42 }), (text, position) => {
      const key = mintApiKey(text);
      const [left = "", right = ""] = key.slice(position, position + 2);
      const swapped = key.slice(0, position) + right + left + key.slice(position + 2);
      expect(typeOfKey(swapped)).toBe(left === right ? "user" : null);
    }),
    { numRuns: 1000 },
  );
});

test("other strings are not well-formed", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => typeOfKey(text) === null));
  const key = mintApiKey();
  for (const text of [`${key}\n`, ` ${key}`, `${key}\0`, key.toLowerCase(), key.slice(6), ""]) {
    expect([text, typeOfKey(text)]).toEqual([text, null]);
  }
});

test("random keys use all characters of base62 about equally often", () => {
  const counts = new Map<string, number>();
  const keys = new Set<string>();
  for (let count = 0; count < 2000; count++) {
    const key = mintApiKey();
    keys.add(key);
    for (const character of key.slice(6, 38)) {
      counts.set(character, (counts.get(character) ?? 0) + 1);
    }
  }
  expect(keys.size).toBe(2000);
  expect([...counts.keys()].sort()).toEqual(base62);
  // 64,000 characters: 1,032 of each, with a standard deviation of 32.
  expect(Math.min(...counts.values())).toBeGreaterThan(1032 - 8 * 32);
  expect(Math.max(...counts.values())).toBeLessThan(1032 + 8 * 32);
});

test("the hash of a key is its SHA-256 in hexadecimal", async () => {
  expect(await hashApiKey("abc")).toBe(
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
});

test("an operator key has a prefix of its own, and the prefix is part of the checksum", () => {
  const key = mintOperatorKey();
  expect(key).toMatch(/^inv_o_[0-9A-Za-z]{38}$/);
  expect(typeOfKey(key)).toBe("operator");
  expect(typeOfKey(key.replace("inv_o_", "inv_u_"))).toBe(null);
  expect(typeOfKey(mintApiKey().replace("inv_u_", "inv_o_"))).toBe(null);
});

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { KeyRing, type Place, tokenPlace } from "../../src/database/sealing.ts";
import { parseSealingKeys } from "../../src/env.ts";

const keyOf = (name: string, byte: string) => `${name}:${btoa(byte.repeat(32))}`;
const first = keyOf("first", "a");
const second = keyOf("second", "b");
const ringOf = (...keys: string[]) => new KeyRing(parseSealingKeys(keys.join(",")));

const context: Place = {
  record: "credential",
  organization_id: "7d1f0c52-93a4-4e6b-8a10-5b2c9e4f6a01",
  id: "3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11",
  field: "community",
};

test("a sealed string can be opened with the same context, whatever its content", async () => {
  const ring = ringOf(first);
  const text = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 300 }),
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.constantFrom("", "\0", "\ufeffbom", "x".repeat(100_000)),
  );
  await fc.assert(
    fc.asyncProperty(text, async (secret) => {
      const sealed = await ring.seal(secret, context);
      expect(await ring.open(sealed, context)).toBe(secret);
    }),
  );
});

test("a sealed string contains the key's name and a unique nonce, and reveals nothing but the secret's length", async () => {
  const ring = ringOf(first);
  const sealed = await ring.seal("public", context);
  expect(sealed).toMatch(/^first\.[\w-]+={0,2}$/);
  expect(sealed).not.toContain("public");
  expect(atob((sealed.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/"))).toHaveLength(
    12 + "public".length + 16,
  );
  const repeated = await Promise.all(
    Array.from({ length: 50 }, () => ring.seal("public", context)),
  );
  expect(new Set(repeated).size).toBe(50);
});

test.each([
  ["another record", { id: "3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e12" }],
  ["another organization", { organization_id: "7d1f0c52-93a4-4e6b-8a10-5b2c9e4f6a02" }],
  ["the old kind of context without an organization", { organization_id: null }],
  ["another field", { field: "ssl_key" }],
  ["another kind of record", { record: "daemon", origin: null }],
  ["a field whose name is a prefix of the original field's name", { field: "communit" }],
  ["a context whose parts have other boundaries", { id: `${context.id}:community`, field: "" }],
])("a sealed string cannot be opened for %s", async (_, elsewhere) => {
  const ring = ringOf(first);
  const sealed = await ring.seal("public", context);
  // The compiler cannot infer that the merged object is a Place.
  const other = { ...context, ...elsewhere } as Place;
  await expect(ring.open(sealed, other)).rejects.toThrow();
  expect(await ring.open(sealed, context)).toBe("public");
});

test("a sealed string that has been altered anywhere cannot be opened", async () => {
  const ring = ringOf(first);
  const sealed = await ring.seal("public", context);
  const start = "first.".length;
  // The padding has no content, and the character before it contains bits that Base64 ignores.
  for (let at = start; at < sealed.indexOf("=") - 1; at++) {
    const other = sealed[at] === "A" ? "B" : "A";
    const altered = sealed.slice(0, at) + other + sealed.slice(at + 1);
    await expect(ring.open(altered, context), altered).rejects.toThrow();
  }
});

test.each([
  ["cut short", (sealed: string) => sealed.slice(0, -4)],
  ["missing its content", () => "first."],
  ["reduced to its nonce", (sealed: string) => sealed.slice(0, "first.".length + 16)],
  ["missing the key's name", (sealed: string) => sealed.slice("first.".length)],
  ["empty", () => ""],
  ["plain", () => "public"],
])("a string that is %s cannot be opened", async (_, alter) => {
  const ring = ringOf(first);
  const altered = alter(await ring.seal("public", context));
  await expect(ring.open(altered, context)).rejects.toThrow();
});

test("a string sealed by a key that is not in the ring cannot be opened, and the error names the key", async () => {
  const sealed = await ringOf(second).seal("public", context);
  await expect(ringOf(first).open(sealed, context)).rejects.toThrow("second");
});

test("a string cannot be opened by another key with the same name", async () => {
  const sealed = await ringOf(first).seal("public", context);
  await expect(ringOf(keyOf("first", "b")).open(sealed, context)).rejects.toThrow();
});

test("after a rotation, the new first key seals, and the old key still opens until it is removed", async () => {
  const old = ringOf(first);
  const both = ringOf(second, first);
  const rotated = ringOf(second);
  const before = await old.seal("public", context);
  expect(before).toMatch(/^first\./);
  expect(await both.open(before, context)).toBe("public");

  const after = await both.seal(await both.open(before, context), context);
  expect(after).toMatch(/^second\./);
  expect(await rotated.open(after, context)).toBe("public");
  await expect(rotated.open(before, context)).rejects.toThrow("first");
});

test("the first key of the ring is the current one", () => {
  expect([ringOf(first, second).currentName, ringOf(second, first).currentName]).toEqual([
    "first",
    "second",
  ]);
});

test.each([
  ["another host", "https://other.example.com:60073/path", false],
  ["another port", "https://daemon.example.com/path", false],
  ["another scheme", "http://daemon.example.com:60073/path", false],
  [
    "a hostname that starts with the same name",
    "https://daemon.example.com.evil.example:60073",
    false,
  ],
  ["no URL", "daemon", false],
  ["another path", "https://daemon.example.com:60073/other", true],
  ["the host in another case", "https://DAEMON.example.com:60073", true],
])("a token can be opened only with the origin of its daemon's URL: %s", async (_, url, opens) => {
  const ring = ringOf(first);
  const sealed = await ring.seal(
    "token",
    tokenPlace("org", "1", "https://daemon.example.com:60073/path"),
  );
  const opened = ring.open(sealed, tokenPlace("org", "1", url));
  await (opens ? expect(opened).resolves.toBe("token") : expect(opened).rejects.toThrow());
});

test("a string has a digest for each key, the current key's first, and its bytes have the same digests", async () => {
  const [current = "", old = "", ...more] = await ringOf(second, first).digests("a body");
  expect([current, old]).toEqual([
    expect.stringMatching(/^[\da-f]{64}$/),
    expect.stringMatching(/^[\da-f]{64}$/),
  ]);
  expect(more).toEqual([]);
  expect(current).not.toBe(old);
  expect(await ringOf(first).digests("a body")).toEqual([old]);
  expect(await ringOf(first).digests(new TextEncoder().encode("a body"))).toEqual([old]);
  expect(await ringOf(first).digests("another body")).not.toEqual([old]);
});

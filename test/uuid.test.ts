import { expect, test } from "vitest";
import { uuidV7 } from "../src/uuid.ts";

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("an id is a version 7 UUID with the variant from RFC 9562", () => {
  for (const at of [0, 1, Date.now(), 2 ** 48 - 1]) {
    expect(uuidV7(at)).toMatch(form);
  }
});

test("an id starts with the millisecond of its creation", () => {
  // The example in RFC 9562, appendix A.6: 2022-02-22T19:22:22Z.
  expect(uuidV7(1_645_557_742_000)).toMatch(/^017f22e2-79b0-7/);
});

test("an id sorts between ids from the milliseconds before and after it", () => {
  const before = uuidV7(Date.now() - 1);
  const id = uuidV7();
  expect([before, id, uuidV7(Date.now() + 1)].toSorted()[1]).toBe(id);
});

test("ids from the same millisecond differ", () => {
  expect(new Set(Array.from({ length: 1000 }, () => uuidV7(0))).size).toBe(1000);
});

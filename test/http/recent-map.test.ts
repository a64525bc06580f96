import { expect, onTestFinished, test, vi } from "vitest";
import { maximumRemembered } from "../../src/http/limits/rate-limit.ts";
import { RecentMap } from "../../src/http/limits/recent-map.ts";

const later = Date.now() + 1_000_000;

test("a value is returned until it expires, and is then removed", () => {
  const now = vi.spyOn(Date, "now").mockReturnValue(1000);
  onTestFinished(() => now.mockRestore());
  const map = new RecentMap<number>(2);
  map.set("a", 7, 1001);
  expect([map.get("a"), map.get("b"), map.size]).toEqual([7, undefined, 1]);
  now.mockReturnValue(1001);
  expect([map.get("a"), map.size]).toEqual([undefined, 0]);
});

test("the entry that was set longest ago is evicted when the map is full", () => {
  const map = new RecentMap<number>(2);
  map.set("a", 1, later);
  map.set("b", 2, later);
  map.set("a", 3, later);
  map.set("c", 4, later);
  expect([map.get("a"), map.get("b"), map.get("c"), map.size]).toEqual([3, undefined, 4, 2]);
});

test("an entry can be deleted", () => {
  const map = new RecentMap<number>(2);
  map.set("a", 1, later);
  map.delete("a");
  expect([map.get("a"), map.size]).toEqual([undefined, 0]);
});

test("an isolate stores at most 10,000 entries", () => {
  const map = new RecentMap<number>(maximumRemembered);
  for (let count = 0; count < 10_000; count++) {
    map.set(String(count), count, later);
  }
  expect([map.size, map.get("0")]).toEqual([10_000, 0]);
  map.set("one more", 0, later);
  expect([map.size, map.get("0"), map.get("1")]).toEqual([10_000, undefined, 1]);
});

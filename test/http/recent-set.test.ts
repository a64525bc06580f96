import { expect, onTestFinished, test, vi } from "vitest";
import { maximumRemembered } from "../../src/http/rate-limit.ts";
import { RecentSet } from "../../src/http/recent-set.ts";

const later = Date.now() + 1_000_000;

test("a text counts until its time has come, and is then forgotten", () => {
  const now = vi.spyOn(Date, "now").mockReturnValue(1000);
  onTestFinished(() => now.mockRestore());
  const set = new RecentSet(2);
  set.add("a", 1001);
  expect([set.has("a"), set.has("b"), set.size]).toEqual([true, false, 1]);
  now.mockReturnValue(1001);
  expect([set.has("a"), set.size]).toEqual([false, 0]);
});

test("the text added longest ago makes room for one too many", () => {
  const set = new RecentSet(2);
  set.add("a", later);
  set.add("b", later);
  set.add("a", later);
  set.add("c", later);
  expect([set.has("a"), set.has("b"), set.has("c"), set.size]).toEqual([true, false, true, 2]);
});

test("a text can be taken out", () => {
  const set = new RecentSet(2);
  set.add("a", later);
  set.delete("a");
  expect([set.has("a"), set.size]).toEqual([false, 0]);
});

test("an isolate remembers 10,000 and not one more", () => {
  const set = new RecentSet(maximumRemembered);
  for (let count = 0; count < 10_000; count++) {
    set.add(String(count), later);
  }
  expect([set.size, set.has("0")]).toEqual([10_000, true]);
  set.add("one more", later);
  expect([set.size, set.has("0"), set.has("1")]).toEqual([10_000, false, true]);
});

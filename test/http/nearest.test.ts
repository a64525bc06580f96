import { expect, test } from "vitest";
import { nearest } from "../../src/http/not-found/nearest.ts";

const names = ["name", "network_id", "ip_addresses", "tags"];

test.each([
  ["networkId", "network_id"],
  ["network-id", "network_id"],
  ["NAME", "name"],
  ["nmae", undefined],
  ["nam", "name"],
  ["tag", "tags"],
  ["ip_adresses", "ip_addresses"],
  ["ip_address", "ip_addresses"],
  ["hostname", undefined],
  ["x", undefined],
  ["", undefined],
  ["n".repeat(65), undefined],
])("the suggestion for %s is %s", (written, suggested) => {
  expect(nearest(written, names)).toBe(suggested);
});

test("the most similar of several names is suggested", () => {
  expect(nearest("services", ["service", "services"])).toBe("services");
  expect(nearest("servces", ["service", "services"])).toBe("services");
});

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
])("%s is near to %s", (written, meant) => {
  expect(nearest(written, names)).toBe(meant);
});

test("of several near names the nearest is meant", () => {
  expect(nearest("services", ["service", "services"])).toBe("services");
  expect(nearest("servces", ["service", "services"])).toBe("services");
});

import { expect, test } from "vitest";
import { inventoryOf, openImports } from "./helpers.ts";

const one = (ip_address: string, mac: number | null) => ({
  ip_address,
  mac_address: mac === null ? null : `02:00:00:00:00:0${mac}`,
});

test("a report whose MAC addresses move is the same the second time", async () => {
  const imports = await openImports();
  const { take, create } = imports;
  await take([{ name: "B", addresses: [one("10.0.0.2", 1), one("10.0.0.3", null)] }]);
  await create("hosts", { name: "A", ip_addresses: [one("10.0.0.1", 1)] });
  const report = [
    { addresses: [one("10.0.0.2", 2)] },
    { name: "C", addresses: [one("10.0.0.3", 1)] },
  ];
  const first = await take(report);
  expect(first.hosts).toMatchObject([
    { outcome: "changed", matched_by: "address" },
    { outcome: "failed", issues: [{ code: "taken_address" }] },
  ]);
  const before = await inventoryOf(imports);
  const { discovery_id: _, ...second } = await take(report);
  expect(second.hosts).toMatchObject([
    { outcome: "unchanged", matched_by: "address" },
    { outcome: "failed", issues: [{ code: "taken_address" }] },
  ]);
  const versions = (inventory: typeof before) =>
    inventory.hosts.map(({ valid_from }) => valid_from);
  expect(versions(await inventoryOf(imports))).toEqual(versions(before));
});

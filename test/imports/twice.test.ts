import { expect, test } from "vitest";
import { inventoryOf, openImports } from "./helpers.ts";

const one = (ip_address: string, mac: number | null) => ({
  ip_address,
  mac_address: mac === null ? null : `02:00:00:00:00:0${mac}`,
});

test.each([
  ["and a host fails", 3, "failed", ["changed", "failed"], ["unchanged", "failed"]],
  ["and a host is new", null, "new", ["created", "changed"], ["unchanged", "unchanged"]],
])(
  "a report in which MAC addresses move, %s, changes nothing when it is imported again",
  async (_, mac, kind, first, second) => {
    const imports = await openImports();
    const { take, create, list, replace } = imports;
    await take([{ name: "B", addresses: [one("10.0.0.2", 1), one("10.0.0.3", null)] }]);
    await create("hosts", { name: "A", ip_addresses: [one("10.0.0.1", 1)] });
    // An address with values set by a user stays with its host.
    const [kept] = await list("ip-addresses", { ip: "10.0.0.3" });
    await replace("ip-addresses", kept?.id ?? "", { ...kept, ...one("10.0.0.3", mac) });
    const report = [
      { addresses: [one("10.0.0.2", 2)] },
      { name: "C", addresses: [one("10.0.0.3", 1)] },
    ];
    const issues = [[], kind === "failed" ? ["taken_address"] : []];
    const resultOf = ({ hosts }: Awaited<ReturnType<typeof take>>) => ({
      outcomes: hosts.map(({ outcome }) => outcome),
      issues: hosts.map((host) => host.issues.map(({ code }) => code)),
    });
    expect(resultOf(await take(report))).toEqual({ outcomes: first, issues });
    const before = await inventoryOf(imports);
    expect(resultOf(await take(report))).toEqual({ outcomes: second, issues });
    const versions = (inventory: typeof before) =>
      inventory.hosts.map(({ valid_from }) => valid_from);
    expect(versions(await inventoryOf(imports))).toEqual(versions(before));
  },
);

import { describe, expect, test } from "vitest";
import { type Inventory, openInventory } from "../../helpers/inventory.ts";

describe("a host that is consolidated into another", () => {
  const consolidate = (opened: Inventory, own: { id: string }, other: { id: string }) =>
    opened.send("PUT", `hosts/${own.id}/consolidate/${other.id}`);

  test("leaves it the external ids and metadata keys that it and its services lack", async () => {
    const opened = await openInventory();
    const own = await opened.create("hosts", {
      name: "A",
      metadata: { both: "own", own: "1" },
      services: [{ name: "web", metadata: { both: "own" } }],
    });
    const other = await opened.create("hosts", {
      name: "B",
      external_id: "host",
      metadata: { both: "other", other: "2" },
      services: [{ name: "web", external_id: "service", metadata: { both: "other", other: "2" } }],
    });
    expect(await consolidate(opened, own, other)).toMatchObject({
      status: 200,
      body: {
        data: {
          external_id: "host",
          metadata: { both: "own", own: "1", other: "2" },
          services: [{ external_id: "service", metadata: { both: "own", other: "2" } }],
        },
      },
    });
  });

  test("does not replace its external id, nor add keys beyond the maximum", async () => {
    const opened = await openInventory();
    const keys = (prefix: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, "x"]));
    const own = await opened.create("hosts", {
      name: "A",
      external_id: "own",
      metadata: keys("own", 49),
    });
    const other = await opened.create("hosts", {
      name: "B",
      external_id: "other",
      metadata: keys("other", 3),
    });
    expect(await consolidate(opened, own, other)).toMatchObject({
      status: 200,
      body: { data: { external_id: "own", metadata: { ...keys("own", 49), other0: "x" } } },
    });
    const read = await opened.read("hosts", own.id);
    expect(Object.keys(read.metadata)).toHaveLength(50);
  });
});

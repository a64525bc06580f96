import { expect, test } from "vitest";
import { openInventory, shifted } from "../../helpers/inventory.ts";

const newId = () => crypto.randomUUID();

/** Creates two hosts, each with a service bound to a port, and consolidates them. */
async function openHosts() {
  const inventory = await openInventory();
  const create = (name: string, number: number) => {
    const port = newId();
    return inventory.create("hosts", {
      name,
      ports: [{ id: port, number, protocol: "Tcp" }],
      services: [{ name, bindings: [{ type: "Port", port_id: port }] }],
    });
  };
  const kept = await create("kept", 80);
  const other = await create("other", 81);
  const answer = await inventory.send("PUT", `hosts/${kept.id}/consolidate/${other.id}`);
  expect(answer).toMatchObject({ status: 200 });
  return { ...inventory, kept, other, merged: await inventory.read("hosts", kept.id) };
}

/** The name and children of a host, with the live ids of bindings. */
const partsOf = ({ name, ports, services }: Awaited<ReturnType<typeof openHosts>>["kept"]) => ({
  name,
  ports: ports.map(({ number }) => number),
  services: services.map((service) => service.name),
  bound: services.flatMap(({ bindings }) => bindings.map(({ id, lineage_id }) => lineage_id ?? id)),
});

test("consolidation does not start a new version of a binding without visible changes", async () => {
  const { other, list, read } = await openHosts();
  const [
    {
      bindings: [binding],
    } = { bindings: [] },
  ] = other.services;
  expect(binding).toBeDefined();
  expect(await read("bindings", binding?.id ?? "")).toMatchObject(binding ?? {});
  const versions = await list("bindings", {
    at: binding?.valid_from ?? "",
    ids: binding?.id ?? "",
  });
  expect(versions).toMatchObject([binding]);
});

test.each(["50", "0"])(
  "before a consolidation, each host has its own children, and after it, one host has them all, with limit=%s",
  async (limit) => {
    const { kept, other, merged, list } = await openHosts();
    const [moved] = merged.ports.filter(({ number }) => number === 81);
    const instant = moved?.valid_from ?? "";
    const hostsAt = async (at: string) => (await list("hosts", { at, limit })).map(partsOf);
    expect(await hostsAt(shifted(instant, -1))).toEqual([partsOf(kept), partsOf(other)]);
    expect(await hostsAt(instant)).toEqual([partsOf(merged)]);
    const bindingsAt = async (at: string) =>
      (await list("bindings", { at, limit })).map(({ id, lineage_id }) => lineage_id ?? id);
    const both = [...partsOf(kept).bound, ...partsOf(other).bound];
    expect(await bindingsAt(shifted(instant, -1))).toEqual(both);
    expect(await bindingsAt(instant)).toEqual(both);
    const services = await list("services", { port: "81", at: shifted(instant, -1), limit });
    expect(services).toMatchObject([{ host_id: other.id }]);
  },
);

test("consolidation starts a new version of a merged service's binding, which refers to the service that is kept", async () => {
  const inventory = await openInventory();
  const create = (number: number) => {
    const port = newId();
    return inventory.create("hosts", {
      name: "nas",
      ports: [{ id: port, number, protocol: "Tcp" }],
      services: [{ name: "web", bindings: [{ type: "Port", port_id: port }] }],
    });
  };
  const [kept, other] = [await create(80), await create(81)];
  await inventory.send("PUT", `hosts/${kept.id}/consolidate/${other.id}`);
  const [
    {
      bindings: [former],
    } = { bindings: [] },
  ] = other.services;
  const binding = await inventory.read("bindings", former?.id ?? "");
  expect(binding).toMatchObject({ service_id: kept.services[0]?.id });
  expect(binding.valid_from > (former?.valid_from ?? "")).toBe(true);
  const [past] = await inventory.list("hosts", {
    at: shifted(binding.valid_from, -1),
    ids: other.id,
  });
  expect(past?.services).toMatchObject([
    { name: "web", bindings: [{ lineage_id: binding.id, service_id: other.services[0]?.id }] },
  ]);
});

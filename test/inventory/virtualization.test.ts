import { describe, expect, test } from "vitest";
import { openInventory } from "../helpers/inventory.ts";
import { mintHost } from "../helpers/organization.ts";

const proxmox = { vm_name: null, vm_id: null, service_id: null };
const docker = {
  container_name: null,
  container_id: null,
  compose_project: null,
  service_id: null,
};

/**
 * Creates a host with a service, and returns bodies for a virtual host and service on its network.
 */
async function openScene() {
  const inventory = await openInventory();
  const { create, network_id } = inventory;
  const host = await create("hosts", { name: "hypervisor", services: [{ name: "Runtime" }] });
  const bodies = {
    hosts: { network_id, name: "guest" },
    services: { host_id: host.id, name: "guest" },
  };
  return { ...inventory, host, runtime: host.services[0]?.id ?? "", bodies };
}

describe.each([
  { name: "hosts", type: "Proxmox", empty: proxmox, text: "vm_name" },
  { name: "services", type: "Docker", empty: docker, text: "container_name" },
] as const)("the virtualization of $name", ({ name, type, empty, text }) => {
  const virtualization = (details: object, more: object = {}) => ({
    virtualization: { type, details, ...more },
  });

  test.each([
    ["extra", virtualization({}, { extra: 1 })],
    ["details.vm_nam", virtualization({ vm_nam: "x" })],
    [`details.${text}`, virtualization({ [text]: "a".repeat(256) })],
    ["details.service_id", virtualization({ service_id: "x" })],
    ["details", { virtualization: { type } }],
  ])("rejects an invalid or unknown field: %s", async (path, sent) => {
    const { send, bodies } = await openScene();
    expect(await send("POST", name, { ...bodies[name], ...sent })).toMatchObject({
      status: 400,
      body: {
        code: "validation_failed",
        params: { issues: [{ path: `body.virtualization.${path}` }] },
      },
    });
  });

  test.each(["", " ", null])("treats %j as null, and trims text", async (blank) => {
    const { create, replace, bodies } = await openScene();
    const created = await create(name, { ...bodies[name], ...virtualization({ [text]: blank }) });
    expect(created.virtualization).toEqual({ type, details: empty });
    const named = virtualization({ [text]: " x " });
    expect(await replace(name, created.id, { ...bodies[name], ...named })).toMatchObject({
      virtualization: { type, details: { ...empty, [text]: "x" } },
    });
  });

  test("must refer to a service on the same network, in creates, bulk creates and replacements", async () => {
    const { send, create, organization, bodies, runtime } = await openScene();
    const { id } = await create(name, {
      ...bodies[name],
      ...virtualization({ service_id: runtime }),
    });
    const [elsewhere] = organization.networks;
    const unknown = crypto.randomUUID();
    for (const service_id of [unknown, elsewhere.service_id]) {
      const json = { ...bodies[name], ...virtualization({ service_id }) };
      const refused = (at: string) => ({
        status: 400,
        body: {
          code: "entity_reference_invalid",
          params: {
            entity: "Service",
            field: `${at}virtualization.details.service_id`,
            id: service_id,
          },
        },
      });
      expect(await send("POST", name, json)).toMatchObject(refused("body."));
      expect(await send("POST", `${name}/bulk`, [bodies[name], json])).toMatchObject(
        refused("body[1]."),
      );
      expect(await send("PUT", `${name}/${id}`, json)).toMatchObject(refused("body."));
    }
  });

  test("can be sent back as it was read, even if the service that it refers to was deleted", async () => {
    const { create, read, replace, remove, bodies, runtime } = await openScene();
    const { id } = await create(name, {
      ...bodies[name],
      ...virtualization({ service_id: runtime }),
    });
    await remove("services", runtime);
    const known = await read(name, id);
    expect(known.virtualization?.details.service_id).toBe(runtime);
    expect(await replace(name, id, known)).toMatchObject(virtualization({ service_id: runtime }));
  });
});

test("a service of a host can refer to a service in the same request, but not to one that it deletes", async () => {
  const { create, send, host, runtime, network_id } = await openScene();
  const own = crypto.randomUUID();
  const guest = (service_id: string) => ({
    name: "guest",
    virtualization: { type: "Docker", details: { service_id } },
  });
  const created = await create("hosts", {
    name: "new",
    services: [
      { id: own, name: "Runtime" },
      { ...guest(own), position: 1 },
    ],
  });
  expect(created.services[1]?.virtualization?.details.service_id).toBe(own);
  const json = { network_id, name: "hypervisor", services: [guest(runtime)] };
  expect(await send("PUT", `hosts/${host.id}`, json)).toMatchObject({
    status: 400,
    body: {
      code: "entity_reference_invalid",
      params: { field: "body.services[0].virtualization.details.service_id", id: runtime },
    },
  });
  const kept = { ...json, services: [{ id: runtime, name: "Runtime" }, guest(runtime)] };
  expect(await send("PUT", `hosts/${host.id}`, kept)).toMatchObject({ status: 200 });
  const elsewhere = await mintHost(host.organization_id, network_id);
  expect(
    await send("PUT", `hosts/${host.id}`, { ...json, services: [guest(elsewhere.service_id)] }),
  ).toMatchObject({ status: 200 });
});

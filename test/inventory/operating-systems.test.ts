import { expect, test } from "vitest";
import { openInventory } from "../helpers/inventory.ts";

test("keeps the history of a host's operating system and a service's version", async () => {
  const { create, replace, read, list } = await openInventory();
  const host = await create("hosts", { name: "web", operating_system: "Debian 11" });
  const on = { host_id: host.id, name: "Web" };
  const service = await create("services", { ...on, version: "nginx 1.22.1" });
  const changedHost = await replace("hosts", host.id, {
    name: "web",
    operating_system: "Debian 12",
  });
  const changedService = await replace("services", service.id, { ...on, version: "nginx 1.24.0" });
  expect(changedHost).toMatchObject({ operating_system: "Debian 12" });
  expect(changedService).toMatchObject({ version: "nginx 1.24.0" });
  expect(changedHost.valid_from > host.valid_from).toBe(true);
  expect(changedService.valid_from > service.valid_from).toBe(true);

  const at = service.valid_from;
  expect(await list("hosts", { at })).toMatchObject([
    { operating_system: "Debian 11", services: [{ version: "nginx 1.22.1" }] },
  ]);
  expect(await list("hosts", { at, q: "debian 11" })).toHaveLength(1);
  expect(await list("services", { at, q: "1.22.1" })).toHaveLength(1);
  expect(await list("hosts", { q: "debian 11" })).toEqual([]);
  expect(await list("services", { q: "1.22.1" })).toEqual([]);

  // A PUT that omits them keeps the operating system, and clears the version.
  await replace("hosts", host.id, { name: "web" });
  await replace("services", service.id, on);
  expect(await read("hosts", host.id)).toMatchObject({
    operating_system: "Debian 12",
    services: [{ version: null }],
  });
  await replace("hosts", host.id, { name: "web", operating_system: null });
  expect(await read("hosts", host.id)).toMatchObject({ operating_system: null });
});

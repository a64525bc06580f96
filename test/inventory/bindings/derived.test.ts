import { expect, test } from "vitest";
import * as z from "zod";
import { listed } from "../../helpers/answers.ts";
import { openInventory, shifted } from "../../helpers/inventory.ts";

/** A host whose service has a binding of each form. */
async function openBound() {
  const opened = await openInventory();
  const [port_id, ip_address_id] = [crypto.randomUUID(), crypto.randomUUID()];
  const host = await opened.create("hosts", {
    name: "web",
    ports: [{ id: port_id, number: 443, protocol: "Tcp" }],
    ip_addresses: [{ id: ip_address_id, ip_address: "2001:db8::1" }],
    services: [
      { name: "nginx", bindings: [{ type: "Port", port_id }] },
      { name: "dns", bindings: [{ type: "IPAddress", ip_address_id }] },
    ],
  });
  const nginx = host.services.find(({ name }) => name === "nginx");
  if (!nginx) {
    throw new Error("The host has the service nginx.");
  }
  const on = await opened.create("bindings", {
    type: "Port",
    service_id: nginx.id,
    port_id: (await opened.create("ports", { host_id: host.id, number: 53, protocol: "Udp" })).id,
    ip_address_id,
  });
  return { ...opened, host, nginx, on };
}

test("a binding has the host of its service, and the label that its change has", async () => {
  const { list, send, host } = await openBound();
  const bindings = await list("bindings");
  expect(bindings.map(({ label }) => label).sort()).toEqual([
    "dns 2001:db8::1",
    "nginx 443/Tcp",
    "nginx 53/Udp 2001:db8::1",
  ]);
  expect(new Set(bindings.map(({ host_id }) => host_id))).toEqual(new Set([host.id]));
  const { body } = await send("GET", "changes?entity=Binding&since=-1h");
  const changes = new Map(listed(body).map((change) => [change["entity_id"], change["label"]]));
  expect(new Map(bindings.map(({ id, label }) => [id, label]))).toEqual(changes);
});

test("a new name of its service changes the label of a binding, but not the binding", async () => {
  const { read, send, nginx, on } = await openBound();
  const { headers } = await send("GET", `bindings/${on.id}`);
  await send("PATCH", `services/${nginx.id}`, { name: "caddy" });
  expect(await read("bindings", on.id)).toEqual({ ...on, label: "caddy 53/Udp 2001:db8::1" });
  expect((await send("GET", `bindings/${on.id}`)).headers.get("ETag")).toBe(headers.get("ETag"));
});

test("at an instant, a binding has the label and the host of that instant", async () => {
  const { create, list, read, send, nginx, host, on } = await openBound();
  await send("PATCH", `services/${nginx.id}`, { name: "caddy" });
  const { valid_from } = await read("services", nginx.id);
  const other = await create("hosts", { name: "other" });
  expect(await send("PUT", `hosts/${other.id}/consolidate/${host.id}`)).toMatchObject({
    status: 200,
  });
  const before = await list("bindings", { ids: on.id, at: shifted(valid_from, -1) });
  expect(before).toMatchObject([{ host_id: host.id, label: "nginx 53/Udp 2001:db8::1" }]);
  expect(await read("bindings", on.id)).toMatchObject({
    host_id: other.id,
    label: "caddy 53/Udp 2001:db8::1",
  });
});

test("a binding can be sent back as it was read, and keeps its derived fields", async () => {
  const { replace, on } = await openBound();
  const sent = { ...on, host_id: crypto.randomUUID(), label: "ignored" };
  expect(await replace("bindings", on.id, sent)).toMatchObject({
    host_id: on.host_id,
    label: on.label,
  });
});

test("bindings inside their service do not repeat its host, and have no label", async () => {
  const { read, nginx } = await openBound();
  for (const binding of (await read("services", nginx.id)).bindings) {
    expect(Object.keys(binding)).not.toEqual(expect.arrayContaining(["host_id"]));
    expect(Object.keys(binding)).not.toEqual(expect.arrayContaining(["label"]));
  }
});

/** Records with some of their fields. */
const fieldsSchema = z.object({ data: z.array(z.record(z.string(), z.unknown())) });

test("a complete list has the same bindings as a page, now and at an instant", async () => {
  const { create, read, send, nginx, host } = await openBound();
  const list = async (query: string) =>
    fieldsSchema.parse((await send("GET", `bindings?${query}`)).body).data;
  await send("PATCH", `services/${nginx.id}`, { name: "caddy" });
  const { valid_from } = await read("services", nginx.id);
  const other = await create("hosts", { name: "other" });
  expect(await send("PUT", `hosts/${other.id}/consolidate/${host.id}`)).toMatchObject({
    status: 200,
  });
  for (const instant of ["", `&at=${valid_from}`, `&at=${shifted(valid_from, -1)}`]) {
    for (const query of ["", "&fields=label", "&fields=id,host_id", "&fields=id"]) {
      const page = await list(`limit=50${instant}${query}`);
      expect(page.length, `${instant}${query}`).toBe(3);
      expect(await list(`limit=0${instant}${query}`)).toEqual(page);
    }
  }
});

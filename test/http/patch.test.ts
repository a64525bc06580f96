import { expect, test } from "vitest";
import * as z from "zod";
import { failed, invalidAt, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { openInventory } from "../helpers/inventory.ts";
import { mintOrganization } from "../helpers/organization.ts";

const bodySchema = z.object({ data: z.looseObject({ id: z.string(), updated_at: z.string() }) });

/** Opens an inventory, with functions that send requests with the owner's key. */
async function open() {
  const inventory = await openInventory();
  const { keys } = inventory.organization;
  const { api } = inventory;
  const post = async (path: string, json: unknown) => {
    const answer = await api.send("POST", `/api/v1/${path}`, { key: keys.owner, json });
    expect(answer.status).toBe(201);
    return { ...bodySchema.parse(answer.body).data, etag: answer.headers.get("etag") ?? "" };
  };
  const patch = (path: string, sent: unknown, headers: Record<string, string> = {}) =>
    api.send("PATCH", `/api/v1/${path}`, {
      key: keys.owner,
      headers: { "Content-Type": "application/merge-patch+json", ...headers },
      body: JSON.stringify(sent),
    });
  return { ...inventory, keys, post, patch };
}

test("keeps omitted fields and a host's children, and clears fields that are null", async () => {
  const { post, patch, network_id } = await open();
  const { id } = await post("hosts", {
    network_id,
    name: "printer",
    hostname: "printer.example.com",
    description: "In the hall",
    ports: [{ number: 631, protocol: "Tcp" }],
    services: [{ name: "Printing" }],
  });
  const answer = await patch(`hosts/${id}`, { name: "Printer", description: null });
  expect(answer).toMatchObject({
    status: 200,
    body: {
      data: {
        name: "Printer",
        hostname: "printer.example.com",
        description: null,
        ports: [{ number: 631 }],
        services: [{ name: "Printing" }],
      },
    },
  });
});

test("replaces a whole list, and merges objects", async () => {
  const { post, patch } = await open();
  const [one, two] = [await post("tags", { name: "One" }), await post("tags", { name: "Two" })];
  const network = await post("networks", { name: "Office", tags: [one.id] });
  const tagged = await patch(`networks/${network.id}`, { tags: [two.id] });
  expect(tagged).toMatchObject({ body: { data: { name: "Office", tags: [two.id] } } });
});

test("keeps a secret if only other fields of its credential change", async () => {
  const { post, patch, organization } = await open();
  const { id } = await post("credentials", {
    name: "Switches",
    organization_id: organization.id,
    tags: [],
    assigned_network_ids: [],
    host_assignments: [],
    credential_type: { type: "SnmpV2c", community: { mode: "Inline", value: "public" } },
  });
  const renamed = await patch(`credentials/${id}`, { name: "All switches" });
  expect(renamed).toMatchObject({ status: 200, body: { data: { name: "All switches" } } });
  const changed = await patch(`credentials/${id}`, {
    credential_type: { community: { value: "private" } },
  });
  expect(changed.status).toBe(200);
});

test("accepts plain JSON as a patch, and rejects other media types", async () => {
  const { post, patch } = await open();
  const { id } = await post("tags", { name: "One" });
  const json = await patch(`tags/${id}`, { color: "Red" }, { "Content-Type": "application/json" });
  expect(json).toMatchObject({ status: 200, body: { data: { name: "One", color: "Red" } } });
  const text = await patch(`tags/${id}`, {}, { "Content-Type": "application/json-patch+json" });
  expect(seen(text)).toEqual(
    failed("request_unsupported_media_type", {
      media_types: ["application/merge-patch+json", "application/json"],
    }),
  );
});

test("validates the result of a patch in the same way as a PUT", async () => {
  const { post, patch } = await open();
  const { id } = await post("tags", { name: "One" });
  expect(seen(await patch(`tags/${id}`, { name: null, colour: "Red" }))).toEqual(
    invalidAt("body.name", "body.colour"),
  );
  expect(seen(await patch(`tags/${id}`, { id: crypto.randomUUID() }))).toEqual(
    invalidAt("body.id"),
  );
  expect(seen(await patch(`tags/${id}`, ["name"]))).toEqual(invalidAt("body"));
});

test("with If-Match, rejects a patch of a changed record with 412, and accepts a patch of an unchanged record", async () => {
  const { post, patch } = await open();
  const { id, etag } = await post("tags", { name: "One" });
  const changed = await patch(`tags/${id}`, { color: "Red" }, { "If-Match": etag });
  expect(changed.status).toBe(200);
  const late = await patch(`tags/${id}`, { color: "Blue" }, { "If-Match": etag });
  expect(seen(late)).toEqual(failed("precondition_failed", { etag: changed.headers.get("etag") }));
});

test("concurrent patches of different fields are all applied", async () => {
  const { post, patch, network_id, api, keys } = await open();
  const { id } = await post("hosts", { network_id, name: "printer" });
  const fields = { hostname: "a", manufacturer: "b", model: "c" };
  const answers = await Promise.all(
    Object.entries(fields).map(([name, value]) => patch(`hosts/${id}`, { [name]: value })),
  );
  const stored = await api.send("GET", `/api/v1/hosts/${id}`, { key: keys.viewer });
  for (const [at, [name, value]] of Object.entries(fields).entries()) {
    const status = answers[at]?.status;
    expect([200, 409]).toContain(status);
    expect(stored).toHaveProperty(`body.data.${name}`, status === 200 ? value : null);
  }
});

test("renames an organization and keeps its other fields", async () => {
  const api = openApi();
  const { id, keys } = await mintOrganization();
  const path = `/api/v1/organizations/${id}`;
  const before = await api.send("GET", path, { key: keys.owner });
  const answer = await api.send("PATCH", path, { key: keys.owner, json: { name: "After" } });
  const { data } = bodySchema.parse(before.body);
  expect(answer).toMatchObject({
    status: 200,
    body: { data: { ...data, name: "After", updated_at: expect.any(String) } },
  });
});

test("an empty patch changes nothing, and takes two database calls", async () => {
  const { post, keys } = await open();
  const { id } = await post("tags", { name: "One" });
  const api = openApi();
  const answer = await api.send("PATCH", `/api/v1/tags/${id}`, { key: keys.owner, json: {} });
  expect(answer).toMatchObject({ status: 200, body: { data: { name: "One" } } });
  expect(await api.calls()).toBe(2);
});

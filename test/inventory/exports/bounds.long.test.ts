import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { namingLimits, takeStreamSlot } from "../../../src/http/limits/stream-limits.ts";
import { ansibleInventory, groupBounds } from "../../../src/inventory/exports/ansible.ts";
import type { ExportedHost } from "../../../src/inventory/exports/model.ts";
import { openApi } from "../../helpers/api.ts";
import { type Inventory, openInventory } from "../../helpers/inventory.ts";
import { mintOrganization } from "../../helpers/organization.ts";

const usual = { ...groupBounds };
afterEach(() => {
  Object.assign(groupBounds, usual);
  vi.useRealTimers();
});

describe("the groups in an inventory", () => {
  let inventory: Inventory;

  /**
   * Creates three hosts in four groups with seven members: three for the network, two for a tag,
   * and one for each of two services.
   */
  beforeAll(async () => {
    inventory = await openInventory();
    const { create, organization } = inventory;
    const answer = await openApi().send("POST", "/api/v1/tags", {
      key: organization.keys.admin,
      json: { name: "Storage" },
    });
    const tag = (answer.body as { data: { id: string } }).data.id;
    await create("hosts", {
      name: "one",
      tags: [tag],
      services: [
        { name: "Web", service_definition: "Nginx" },
        { name: "Proxy", service_definition: "Nginx" },
      ],
    });
    await create("hosts", {
      name: "two",
      tags: [tag],
      services: [{ name: "Files", service_definition: "Samba" }],
    });
    await create("hosts", { name: "three" });
  });

  const ask = (query = "") =>
    openApi().send("GET", `/api/v1/exports/ansible?network_id=${inventory.network_id}${query}`, {
      key: inventory.organization.keys.viewer,
    });

  test("are sent at their maximum size", async () => {
    Object.assign(groupBounds, { members: 7, groups: 4 });
    expect(await ask()).toMatchObject({ status: 200 });
  });

  test.each([
    ["members", 6, "more than 6 members of groups"],
    ["groups", 3, "more than 3 groups"],
  ])("are rejected before anything is sent if they have more %s", async (unit, maximum, text) => {
    Object.assign(groupBounds, { [unit]: maximum });
    const answer = await ask();
    expect(answer).toMatchObject({
      status: 409,
      body: { code: "export_too_large", params: { maximum, unit } },
    });
    expect(answer.text).toContain(text);
    expect(answer.text).toContain("network_id, tag_ids, service or port");
    expect(await ask("&service=Samba")).toMatchObject({ status: 200 });
  });

  test("abort the export if they have grown since they were counted", async () => {
    Object.assign(groupBounds, { members: 1 });
    const host: ExportedHost = {
      id: crypto.randomUUID(),
      name: "one",
      hostname: null,
      operating_system: null,
      manufacturer: null,
      model: null,
      network_id: crypto.randomUUID(),
      network: "Home",
      tags: ["a"],
      addresses: [],
      ports: [],
      services: [],
    };
    await expect(ansibleInventory(async () => [host])()).rejects.toThrow(/too large/);
  });

  test("are sent in pieces even with many members", async () => {
    const hosts = Array.from(
      { length: 30_000 },
      (_, index): ExportedHost => ({
        id: crypto.randomUUID(),
        name: `host-${index}`,
        hostname: null,
        operating_system: null,
        manufacturer: null,
        model: null,
        network_id: "",
        network: "Home",
        tags: [],
        addresses: [],
        ports: [],
        services: [],
      }),
    );
    const chunks = [hosts];
    const next = ansibleInventory(async () => chunks.shift() ?? null);
    const pieces: string[] = [];
    for (let piece = await next(); piece !== null; piece = await next()) {
      pieces.push(piece);
    }
    const parsed = JSON.parse(pieces.join("")) as { network_Home: { hosts: string[] } };
    expect(parsed.network_Home.hosts).toEqual(hosts.map(({ name }) => name));
    expect(Math.max(...pieces.slice(1).map(({ length }) => length))).toBeLessThan(256 * 1024);
  });
});

describe("exports that keep names in memory", () => {
  const needs = { holdsNames: true };
  const readerOf = (organizationId: string) => ({ keyHash: "", organizationId });

  test("run one at a time per organization: a second one waits, and is rejected after five seconds", async () => {
    const { id, keys } = await mintOrganization();
    const api = openApi();
    await api.send("GET", "/api/v1/exports/oxidized", { key: keys.viewer });
    const giveBack = await takeStreamSlot(readerOf(id), needs);
    expect(await api.send("GET", "/api/v1/exports/ansible", { key: keys.viewer })).toMatchObject({
      status: 429,
      body: { code: "rate_limit_exceeded", params: { retry_after_seconds: 30 } },
    });
    // Other lists and exports do not keep names.
    for (const path of ["exports/prometheus", "exports/hosts", "hosts?limit=0"]) {
      expect(await api.send("GET", `/api/v1/${path}`, { key: keys.viewer })).toMatchObject({
        status: 200,
      });
    }
    const waiting = api.send("GET", "/api/v1/exports/ansible", { key: keys.viewer });
    giveBack();
    expect(await waiting).toMatchObject({ status: 200 });
  });

  test("run two at a time per isolate: a third one waits, and returns 503 after five seconds", async () => {
    const { keys } = await mintOrganization();
    const api = openApi();
    await api.send("GET", "/api/v1/hosts", { key: keys.viewer });
    const ends = await Promise.all(
      Array.from({ length: namingLimits.perIsolate }, () =>
        takeStreamSlot(readerOf(crypto.randomUUID()), needs),
      ),
    );
    const path = "/api/v1/exports/ansible";
    expect(await api.send("GET", path, { key: keys.viewer })).toMatchObject({
      status: 503,
      body: { code: "service_unavailable" },
    });
    const waiting = api.send("GET", path, { key: keys.viewer });
    for (const end of ends) {
      end();
    }
    expect(await waiting).toMatchObject({ status: 200 });
  });

  test("release their slots when they end or fail, and after a HEAD", async () => {
    const { keys } = await mintOrganization();
    const api = openApi();
    for (let count = 0; count < 3; count++) {
      for (const method of ["GET", "HEAD"] as const) {
        const path = "/api/v1/exports/oxidized";
        expect(await api.send(method, path, { key: keys.viewer })).toMatchObject({ status: 200 });
      }
      await api.disturb({ faults: [{ kind: "not_json" }, { kind: "not_json" }] });
      expect(await api.send("GET", "/api/v1/exports/ansible", { key: keys.viewer })).toMatchObject({
        status: 503,
      });
      await api.disturb({ faults: [] });
    }
  });
});

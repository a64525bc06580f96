import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import document from "../../src/docs/assets/openapi.json" with { type: "json" };
import { referredKinds } from "../../src/http/list/labels.ts";
import { invalidAt, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { mintEmptyNetwork } from "../helpers/inventory.ts";
import { operations } from "../helpers/operations.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";

const page = z.object({
  data: z.array(z.looseObject({ id: z.guid() })),
  meta: z.looseObject({ labels: z.record(z.guid(), z.string()) }),
});

const created = z.object({ data: z.looseObject({ id: z.guid() }) });

const lists = operations.filter(
  ({ query }) => query instanceof z.ZodObject && "fields" in query.shape,
);

describe("include=labels", () => {
  let organization: PopulatedOrganization;

  beforeAll(async () => {
    organization = await mintPopulatedOrganization();
  });

  const get = (path: string, query: string, headers = {}) =>
    openApi().send("GET", `${path}?${query}`, { key: organization.keys.owner, headers });

  test.each(lists)("names every record that $name refers to, in two calls", async ({ path }) => {
    const api = openApi();
    const answer = await api.send("GET", `${path}?include=labels`, {
      key: organization.keys.owner,
    });
    expect(await api.calls()).toBe(2);
    const { data, meta } = page.parse(answer.body);
    const referred = data.flatMap((record) =>
      Object.entries(record).flatMap(([name, value]) =>
        referredKinds[name] === undefined || value === null ? [] : value,
      ),
    );
    const ids = referred.filter((id) => typeof id === "string");
    expect(ids.length).toBeGreaterThan(0);
    expect(ids.filter((id) => meta.labels[id] === undefined)).toEqual([]);
    if (data.some((record) => "organization_id" in record)) {
      expect(meta.labels[organization.id]).toBe("Before");
    }
  });

  test.each(lists)(
    "$name rejects it for streams and for formats without meta",
    async ({ path }) => {
      expect(seen(await get(path, "include=labels&limit=0"))).toEqual(invalidAt("query.limit"));
      for (const Accept of ["text/csv", "application/x-ndjson"]) {
        expect(await get(path, "include=labels", { Accept })).toMatchObject({
          status: 400,
          body: { params: { issues: [{ path: "query.include" }] } },
        });
      }
    },
  );

  test("names only the records in the chosen fields", async () => {
    const { network_id } = z
      .object({ network_id: z.guid() })
      .parse(page.parse((await get("/api/v1/hosts", "include=labels")).body).data[0]);
    const { body } = await get("/api/v1/hosts", "include=labels&fields=network_id&limit=1");
    const { labels } = z.object({ meta: z.object({ labels: z.unknown() }) }).parse(body).meta;
    expect(labels).toEqual({ [network_id]: expect.any(String) });
  });

  test("never names records that the key cannot see", async () => {
    const [network, other] = organization.networks;
    const key = await mintKey(organization.id, { role: "Viewer" }, [other.id]);
    const { body } = await openApi().send("GET", "/api/v1/credentials?include=labels", { key });
    const { labels } = page.parse(body).meta;
    expect(labels[network.id]).toBeUndefined();
    expect(labels[network.host_id]).toBeUndefined();
  });

  test("never takes the caller's own data for ids", async () => {
    const { id, keys } = await mintOrganization();
    const network_id = await mintEmptyNetwork(id);
    const api = openApi();
    const key = keys.member;
    const other = crypto.randomUUID();
    const metadata = { host_id: "rack 7", network_id: other, service_id: network_id, tags: "a" };
    const json = { network_id, name: "own", metadata };
    const host = created.parse((await api.send("POST", "/api/v1/hosts", { key, json })).body).data;
    const expected = { [host.id]: "own", [network_id]: expect.any(String), [id]: "Test" };
    const hosts = `/api/v1/hosts?include=labels&network_id=${network_id}`;
    const listed = await api.send("GET", hosts, { key });
    expect(page.parse(listed.body).meta.labels).toEqual(expected);
    const changes = "/api/v1/changes?include=labels&include=records";
    expect(await api.send("GET", changes, { key })).toMatchObject({ status: 200 });
  });

  test("names records of the past as they were called then", async () => {
    const { id, keys } = await mintOrganization();
    const key = keys.member;
    const network_id = await mintEmptyNetwork(id);
    const api = openApi();
    const json = { network_id, name: "former", ports: [{ number: 22, protocol: "Tcp" }] };
    const host = created.parse((await api.send("POST", "/api/v1/hosts", { key, json })).body).data;
    const at = new Date().toISOString();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const path = `/api/v1/hosts/${host.id}`;
    await api.send("PATCH", path, { key, json: { name: "later" } });
    const ports = async (query: string) =>
      page.parse((await api.send("GET", `/api/v1/ports?include=labels${query}`, { key })).body).meta
        .labels;
    expect(await ports("")).toMatchObject({ [host.id]: "later" });
    expect(await ports(`&at=${at}`)).toMatchObject({ [host.id]: "former" });
    await api.send("DELETE", path, { key });
    const changes = await api.send("GET", "/api/v1/changes?include=labels&include=records", {
      key,
    });
    const { labels } = z
      .object({ meta: z.object({ labels: z.record(z.string(), z.string()) }) })
      .parse(changes.body).meta;
    expect(labels).toMatchObject({ [host.id]: "later", [network_id]: expect.any(String) });
    const diff = await api.send("GET", `/api/v1/diff?from=${at}&include=labels`, { key });
    expect(diff.body).toMatchObject({ meta: { labels: { [host.id]: "later" } } });
    const timeline = await api.send("GET", `${path}/timeline?include=labels`, { key });
    expect(timeline.body).toMatchObject({ meta: { labels: { [host.id]: "later" } } });
    expect(
      seen(await api.send("GET", `/api/v1/diff?from=${at}&include=labels&limit=0`, { key })),
    ).toEqual(invalidAt("query.limit"));
  });
});

/** The fields with ids that have no label: scans, imports, and versions. */
const unlabeled = [
  "container_id",
  "discovery_id",
  "entity_id",
  "first_discovery_id",
  "hypervisor_service_id",
  "id",
  "last_discovery_id",
  "lineage_id",
  "source",
  "source_entity_id",
  "source_host_id",
  "source_interface_id",
  "tag_ids",
  "target",
  "target_entity_id",
  "target_host_id",
  "target_interface_id",
  "user_id",
];

test("every field with ids in the document either has labels or is listed here", () => {
  const named = z.looseObject({
    $ref: z.string().optional(),
    format: z.string().optional(),
    items: z.unknown().optional(),
  });
  const isId = (schema: unknown) => {
    const { $ref, format } = named.parse(schema);
    return format === "uuid" || $ref === "#/components/schemas/Id";
  };
  const names = Object.values(document.components.schemas).flatMap((schema) =>
    Object.entries("properties" in schema ? (schema.properties ?? {}) : {}).flatMap(
      ([name, value]) => {
        const { items = value } = named.parse(value);
        return isId(items) ? name : [];
      },
    ),
  );
  const inputs = ["daemon_ids", "host_ids", "ids"];
  const known = [...Object.keys(referredKinds), ...unlabeled, ...inputs];
  expect([...new Set(names)].filter((name) => !known.includes(name))).toEqual([]);
});

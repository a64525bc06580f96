import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { streamLimits, takeStreamSlot } from "../../src/http/limits/stream-limits.ts";
import { seen, succeeded } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { passedInstant } from "../helpers/binding-versions.ts";
import { sql } from "../helpers/database.ts";
import { mintEmptyNetwork } from "../helpers/inventory.ts";
import { mintOrganization, type Organization } from "../helpers/organization.ts";
import { recountRecords } from "../helpers/record-counts.ts";
import { recordsIn } from "../helpers/records.ts";

/** The number of ports, addresses, services and bindings of a large host: 2 MB of JSON. */
const children = 900;

let organization: Organization;
let network: string;
/** The network's hosts, in list order: the second one is large. */
let hosts: string[];

/**
 * Adds the children of a large host to a host, without triggers, which would compare each child
 * with all others.
 */
const fill = (organizationId: string, networkId: string, host: string) =>
  sql.transaction([
    sql`set local session_replication_role = replica`,
    sql`
      with address as (
        insert into ip_addresses (organization_id, network_id, host_id, address, position,
          created_at, updated_at, last_seen_at, valid_from)
        select ${organizationId}, ${networkId}, ${host}, inet '10.0.0.0' + number, number % 5,
          moment, moment, moment, moment
        from generate_series(1, ${children}::int) as number, date_trunc('milliseconds', now()) as moment),
      port as (
        insert into ports (organization_id, network_id, host_id, number, protocol,
          created_at, updated_at, last_seen_at, valid_from)
        select ${organizationId}, ${networkId}, ${host}, number, 'Tcp', moment, moment, moment, moment
        from generate_series(1, ${children}::int) as number, date_trunc('milliseconds', now()) as moment
        returning id, number),
      service as (
        insert into services (organization_id, network_id, host_id, name, service_definition, position,
          created_at, updated_at, last_seen_at, valid_from)
        select ${organizationId}, ${networkId}, ${host}, 'Service "' || number || '"', 'é', number % 7,
          moment, moment, moment, moment
        from generate_series(1, ${children}::int) as number, date_trunc('milliseconds', now()) as moment
        returning id, name)
      insert into bindings (organization_id, network_id, host_id, type, service_id, port_id,
        created_at, updated_at, last_seen_at, valid_from)
      select ${organizationId}, ${networkId}, ${host}, 'Port', service.id, port.id,
        moment, moment, moment, moment
      from port cross join date_trunc('milliseconds', now()) as moment
      -- The first service has most bindings, so it is too large for a chunk, too.
      join service on service.name = case when number % 10 = 0 then 'Service "' || number || '"'
        else 'Service "1"' end`,
    sql.query(recountRecords, [organizationId]),
  ]);

beforeAll(async () => {
  organization = await mintOrganization();
  network = await mintEmptyNetwork(organization.id);
  const rows = await sql`
    insert into hosts (organization_id, network_id, name, created_at)
    select ${organization.id}, ${network}, 'Host ' || number, timestamptz '2026-01-01' + number * interval '1 s'
    from generate_series(1, 3) as number returning id, name`;
  hosts = rows
    .toSorted((a, b) => (String(a["name"]) < String(b["name"]) ? -1 : 1))
    .map(({ id }) => String(id));
  await fill(organization.id, network, hosts[1] ?? "");
});

type RecordRead = ReturnType<typeof recordsIn>[number];

const key = () => organization.keys.viewer;
const large = () => `/api/v1/hosts/${hosts[1]}`;
const inNetwork = () => `/api/v1/hosts?network_id=${network}`;

/**
 * Takes all of an organization's stream slots after earlier streams have ended. Returns a function
 * that releases them; the slots are released at the end of the test at the latest.
 */
async function takeAllStreams(organizationId = organization.id): Promise<() => void> {
  const ends: (() => boolean)[] = [];
  await vi.waitFor(async () => {
    while (ends.length < streamLimits.perOrganization) {
      ends.push(await takeStreamSlot({ keyHash: "", organizationId }));
    }
  });
  const free = () => {
    for (const end of ends) {
      end();
    }
  };
  onTestFinished(free);
  return free;
}

async function listed(path: string): Promise<readonly RecordRead[]> {
  return recordsIn(await openApi().send("GET", path, { key: key() }));
}

describe("a page of more than 1 MiB", { timeout: 120_000 }, () => {
  test("is sent in several calls, with all records and the usual pagination", async () => {
    const api = openApi();
    const answer = await api.send("GET", `${inNetwork()}&limit=2`, { key: key() });
    expect(await api.calls()).toBeGreaterThan(5);
    expect(recordsIn(answer).map(({ id }) => id)).toEqual(hosts.slice(0, 2));
    expect(answer.body).toMatchObject({
      success: true,
      meta: {
        pagination: {
          total_count: 3,
          limit: 2,
          offset: 0,
          has_more: true,
          next_cursor: expect.any(String),
        },
      },
    });
    const last = await openApi().send("GET", `${inNetwork()}&limit=2&offset=1`, { key: key() });
    expect(recordsIn(last).map(({ id }) => id)).toEqual(hosts.slice(1));
    expect(last.body).toMatchObject({
      meta: {
        pagination: { total_count: 3, limit: 2, offset: 1, has_more: false, next_cursor: null },
      },
    });
  });

  test("contains the same data as reads of the individual hosts, and so does the complete list", async () => {
    const alone = await Promise.all(
      hosts.map(async (id) => {
        const { body } = await openApi().send("GET", `/api/v1/hosts/${id}`, { key: key() });
        return (body as { data: unknown }).data;
      }),
    );
    expect(await listed(`${inNetwork()}&limit=3`)).toEqual(alone);
    expect(await listed(`${inNetwork()}&limit=0`)).toEqual(alone);
    expect(await listed(`${inNetwork()}&limit=0&at=${await passedInstant()}`)).toEqual(alone);
  });

  test("takes a stream slot, whereas a small page of the same list does not", async () => {
    const api = openApi();
    const free = await takeAllStreams();
    for (const path of [`${inNetwork()}&limit=2`, large()]) {
      const refused = await api.send("GET", path, { key: key() });
      expect(refused).toMatchObject({ status: 429, body: { code: "rate_limit_exceeded" } });
      expect(refused.headers.get("Retry-After")).toBe("30");
    }
    expect(seen(await api.send("GET", `${inNetwork()}&limit=1`, { key: key() }))).toEqual(
      succeeded(),
    );
    free();
    expect(seen(await api.send("GET", `${inNetwork()}&limit=2`, { key: key() }))).toEqual(
      succeeded(),
    );
  });

  test("has no body in response to HEAD, and releases its stream", async () => {
    const api = openApi();
    for (let count = 0; count <= streamLimits.perOrganization; count++) {
      const response = await api.open("HEAD", `${inNetwork()}&limit=2`, { key: key() });
      expect(response).toMatchObject({ status: 200, body: null });
    }
  });
});

test("a page of credentials is limited by the size of the response, not by the stored size of the records", async () => {
  const api = openApi();
  const { id, keys } = await mintOrganization();
  // Text that Postgres compresses well.
  const value = `-----BEGIN CERTIFICATE-----\nMAAA${"\n".repeat(60_000)}-----END CERTIFICATE-----`;
  const settings = { type: "DockerProxy", port: 2375, path: null, ssl_chain: null, ssl_key: null };
  const certificate = { mode: "Inline", value };
  await sql`insert into credentials (organization_id, name, settings)
    select ${id}, 'Wide', ${JSON.stringify({ ...settings, ssl_cert: certificate })}::jsonb
    from generate_series(1, 40)`;
  const answer = await api.send("GET", "/api/v1/credentials?limit=100", { key: keys.viewer });
  expect(answer).toMatchObject({
    status: 200,
    body: { meta: { pagination: { total_count: 40 } } },
  });
  expect(await api.calls()).toBeGreaterThan(1);
});

describe("a small page", () => {
  test.each(["hosts", "services", "tags", "networks", "credentials", "ports"])(
    "of %s takes one call",
    async (list) => {
      const api = openApi();
      const other = await mintOrganization();
      const answer = await api.send("GET", `/api/v1/${list}?limit=1000`, {
        key: other.keys.viewer,
      });
      expect(seen(answer)).toEqual(succeeded());
      expect(await api.calls()).toBe(1);
    },
  );
});

describe("a repeated Idempotency-Key whose host has since grown large", {
  timeout: 120_000,
}, () => {
  /** Creates hosts with an Idempotency-Key, and makes the first one large. */
  async function grown(path: string, json: (network_id: string) => unknown) {
    const { id, keys } = await mintOrganization();
    const place = await mintEmptyNetwork(id);
    const headers = { "Idempotency-Key": crypto.randomUUID() };
    const post = async () => {
      const api = openApi();
      const answer = await api.send("POST", path, {
        key: keys.owner,
        json: json(place),
        headers,
      });
      return { ...answer, calls: await api.calls() };
    };
    const made = await post();
    expect(made).toMatchObject({ status: 201, calls: 1 });
    const [first] = [(made.body as { data: RecordRead | RecordRead[] }).data].flat();
    await fill(id, place, first?.id ?? "");
    return { post, made, id };
  }

  test("streams the host in the replayed response", async () => {
    const { post, made } = await grown("/api/v1/hosts", (network_id) => ({
      network_id,
      name: "A",
    }));
    const again = await post();
    expect(again).toMatchObject({ status: 201, body: { success: true, data: { name: "A" } } });
    expect(again.calls).toBeGreaterThan(5);
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    expect(again.headers.get("Location")).toBe(made.headers.get("Location"));
    expect(again.headers.get("ETag")).not.toBeNull();
    const { ports, ip_addresses } = (again.body as { data: Record<string, unknown[]> }).data;
    expect(ports).toHaveLength(children);
    expect(ip_addresses).toHaveLength(children);
  });

  test("streams all hosts of a bulk create, in the order of the request", async () => {
    const names = ["C", "A", "B"];
    const { post } = await grown("/api/v1/hosts/bulk", (network_id) =>
      names.map((name) => ({ network_id, name })),
    );
    const again = await post();
    expect(again).toMatchObject({ status: 201, body: { success: true, meta: { api_version: 1 } } });
    expect(again.calls).toBeGreaterThan(5);
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    const { data } = again.body as { data: (RecordRead & { ports: unknown[] })[] };
    expect(data.map(({ name, ports }) => [name, ports.length])).toEqual([
      ["C", children],
      ["A", 0],
      ["B", 0],
    ]);
  });

  test("is rejected if no stream is free, without the headers of a replay", async () => {
    const { post, id } = await grown("/api/v1/hosts", (network_id) => ({ network_id, name: "A" }));
    await takeAllStreams(id);
    const refused = await post();
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limit_exceeded" } });
    for (const name of ["Idempotent-Replayed", "Location", "ETag"]) {
      expect(refused.headers.get(name)).toBeNull();
    }
  });
});

describe("a large host", { timeout: 120_000 }, () => {
  test("has the same children as the lists of children, in the same order as in a small host", async () => {
    const api = openApi();
    const { body } = await api.send("GET", large(), { key: key() });
    expect(await api.calls()).toBeGreaterThan(5);
    const { ip_addresses, ports, services } = (body as { data: Record<string, RecordRead[]> }).data;
    const of = (list: string) => listed(`/api/v1/${list}?host_id=${hosts[1]}&limit=0`);
    const byId = (records: readonly RecordRead[] = []) =>
      records.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(ports).toHaveLength(children);
    expect(byId(ports)).toEqual(byId(await of("ports")));
    expect(byId(ip_addresses)).toEqual(byId(await of("ip-addresses")));
    expect(byId(services)).toEqual(byId(await of("services")));
    expect(ports?.map(({ number }) => number)).toEqual(
      Array.from({ length: children }, (_, index) => index + 1),
    );
    const positions = services?.map(({ position }) => Number(position)) ?? [];
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    const bindings = services?.flatMap((service) => service["bindings"] as RecordRead[]) ?? [];
    expect(bindings).toHaveLength(children);
  });

  test("has an entity tag, and returns 304 if the client sends it", async () => {
    const read = await openApi().send("GET", large(), { key: key() });
    const etag = read.headers.get("ETag") ?? expect.fail("there is no entity tag");
    const again = await openApi().send("GET", large(), {
      key: key(),
      headers: { "If-None-Match": etag },
    });
    expect(again.status).toBe(304);
    expect(again.headers.get("ETag")).toBe(etag);
    const head = await openApi().open("HEAD", large(), { key: key() });
    expect(head).toMatchObject({ status: 200, body: null });
    expect(head.headers.get("ETag")).toBe(etag);
  });

  test("is streamed in the response to a change, which takes a stream slot", async () => {
    const put = (description: string) =>
      openApi().send("PUT", large(), {
        key: organization.keys.owner,
        json: { network_id: network, name: "Host 2", description },
      });
    const answer = await put("Changed");
    expect(answer).toMatchObject({ status: 200, body: { data: { description: "Changed" } } });
    expect((answer.body as { data: { ports: unknown[] } }).data.ports).toHaveLength(children);
    const read = await openApi().send("GET", large(), { key: key() });
    expect(read.headers.get("ETag")).toBe(answer.headers.get("ETag"));
    const free = await takeAllStreams();
    const withoutStream = await put("Changed again");
    expect(withoutStream).toMatchObject({
      status: 503,
      body: { params: { retry_after_seconds: 30, outcome: "unknown", advice: "read_first" } },
    });
    expect(withoutStream.headers.get("ETag")).toBeNull();
    free();
    const then = await openApi().send("GET", large(), { key: key() });
    expect(then.body).toMatchObject({ data: { description: "Changed again" } });
  });

  test.each([
    ["57014", "a cancelled statement"],
    ["53300", "no free connection"],
  ])("reports that a change may have been made if its read fails (%s, %s)", async (code) => {
    const api = openApi();
    const fault = { kind: "sqlstate", code, message: "" } as const;
    await api.disturb({ faults: [{ kind: "none" }, fault, fault] });
    const answer = await api.send("PUT", large(), {
      key: organization.keys.owner,
      json: { network_id: network, name: "Host 2", description: `Changed ${code}` },
    });
    expect(answer).toMatchObject({
      status: 503,
      body: { params: { outcome: "unknown", advice: "read_first" } },
    });
    const read = await openApi().send("GET", large(), { key: key() });
    expect(read.body).toMatchObject({ data: { description: `Changed ${code}` } });
  });

  test("is a single snapshot, even at a future instant", async () => {
    const other = await mintOrganization();
    const place = await mintEmptyNetwork(other.id);
    const [row] = await sql`
      insert into hosts (organization_id, network_id, name) values (${other.id}, ${place}, 'Whole')
      returning id`;
    await fill(other.id, place, String(row?.["id"]));
    const path = `/api/v1/hosts?network_id=${place}&limit=0&at=2099-01-01T00:00:00Z`;
    const response = await openApi().open("GET", path, { key: other.keys.viewer });
    const reader = response.body?.getReader();
    const decoder = new TextDecoder();
    let text = decoder.decode((await reader?.read())?.value, { stream: true });
    await openApi().send("DELETE", `/api/v1/hosts/${row?.["id"]}`, { key: other.keys.owner });
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      text += decoder.decode(piece.value, { stream: true });
    }
    const [host] = JSON.parse(text).data;
    expect(host.ports).toHaveLength(children);
    expect(host.ip_addresses).toHaveLength(children);
    expect(host.services).toHaveLength(children);
  });

  test("can still be read at an earlier instant after it has been deleted", async () => {
    const other = await mintOrganization();
    const place = await mintEmptyNetwork(other.id);
    const [row] = await sql`
      insert into hosts (organization_id, network_id, name) values (${other.id}, ${place}, 'Gone')
      returning id`;
    await fill(other.id, place, String(row?.["id"]));
    const path = `/api/v1/hosts?network_id=${place}`;
    const [before] = recordsIn(await openApi().send("GET", path, { key: other.keys.viewer }));
    const at = await passedInstant();
    await openApi().send("DELETE", `/api/v1/hosts/${row?.["id"]}`, { key: other.keys.owner });
    const then = await openApi().send("GET", `${path}&at=${at}`, { key: other.keys.viewer });
    const [ended] = recordsIn(then);
    expect(ended?.["lineage_id"]).toBe(before?.id);
    for (const part of ["ip_addresses", "ports", "services"]) {
      const names = (record: RecordRead | undefined, field: string) =>
        ((record ?? expect.fail("there is no host"))[part] as RecordRead[]).map(
          (child) => child[field],
        );
      expect(names(ended, "lineage_id")).toEqual(names(before, "id"));
    }
  });
});

import { describe, expect, test } from "vitest";
import * as z from "zod";
import { daemonSchema } from "../../src/daemons/model.ts";
import { keyRingOf, tokenPlace } from "../../src/database/sealing.ts";
import { settingsOf } from "../../src/env.ts";
import { failed, invalidAt, seen } from "../helpers/answers.ts";
import { type Answer, type Api, openApi } from "../helpers/api.ts";
import { daemonRow, sealedToken } from "../helpers/daemons.ts";
import { sql } from "../helpers/database.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";
import { changingNothing, rowsHolding } from "../helpers/rows.ts";

const path = "/api/v1/daemons/provision";
const url = "https://daemon.example.com:60073/base";

const provisioned = ({ body }: Answer) =>
  z.object({ data: z.object({ daemon: daemonSchema, daemon_api_key: z.string() }) }).parse(body)
    .data;

const provision = (api: Api, key: string, json: unknown, headers: Record<string, string> = {}) =>
  api.send("POST", path, { key, json, headers });

test("a new daemon is due at once and has its tags, and its key is returned once", async () => {
  const api = openApi();
  const { id: organization_id, keys, networks, tags } = await mintOrganization();
  const network_id = networks[0].id;
  const json = { name: " attic ", network_id, url, tags: [tags[1], tags[0]] };
  const answer = await provision(api, keys.member, json);
  expect(answer.status).toBe(201);
  const { daemon, daemon_api_key } = provisioned(answer);
  expect(daemon).toEqual({
    id: expect.any(String),
    created_at: expect.any(String),
    updated_at: expect.any(String),
    organization_id,
    network_id,
    host_id: null,
    name: "attic",
    url,
    external_id: null,
    metadata: {},
    tags: [...tags].sort(),
    scan_schedule: null,
    mode: "server_poll",
    version: null,
    version_status: { version: null, status: "Unknown", warnings: [] },
    last_seen: null,
    is_unreachable: false,
    unreachable_since: null,
    consecutive_failures: 0,
    next_poll_at: expect.any(String),
    last_error: null,
    receives_credentials: false,
    capabilities: { has_docker_socket: false, interfaced_subnet_ids: [] },
    user_id: null,
  });
  expect(daemon_api_key).toMatch(/^inv_d_[\w-]{43}$/);
  expect(Date.parse(daemon.next_poll_at ?? "")).toBeLessThanOrEqual(Date.now() + 1000);
  expect(answer.headers.get("location")).toBe(`/api/v1/daemons/${daemon.id}`);
  const read = await api.send("GET", `/api/v1/daemons/${daemon.id}`, { key: keys.viewer });
  expect(read.headers.get("etag")).toBe(answer.headers.get("etag"));
  expect(read.body).toMatchObject({ data: daemon });
  expect(read.text).not.toContain("inv_d_");
});

test("the daemon's key is sealed for the daemon and its origin, and is not stored anywhere in plaintext", async () => {
  const api = openApi();
  const { id: organization_id, keys, networks } = await mintOrganization();
  const json = { name: "attic", network_id: networks[0].id, url };
  const { daemon, daemon_api_key } = provisioned(await provision(api, keys.member, json));
  const sealed = await sealedToken(daemon.id);
  const ring = keyRingOf(settingsOf(api.env));
  expect(await ring.open(sealed, tokenPlace(organization_id, daemon.id, url))).toBe(daemon_api_key);
  const elsewhere = tokenPlace(organization_id, daemon.id, "https://other.example.com:60073");
  await expect(ring.open(sealed, elsewhere)).rejects.toThrow();
  expect(await rowsHolding([daemon_api_key, daemon_api_key.slice(6)])).toEqual([]);
});

test("every daemon gets its own key", async () => {
  const api = openApi();
  const { keys, networks } = await mintOrganization();
  const json = { name: "attic", network_id: networks[0].id, url };
  const answers = await Promise.all([1, 2, 3].map(() => provision(api, keys.member, json)));
  expect(new Set(answers.map((answer) => provisioned(answer).daemon_api_key)).size).toBe(3);
});

test("takes one database call once the isolate has cached the caller's organization", async () => {
  const api = openApi();
  const { keys, networks } = await mintOrganization();
  const json = { name: "attic", network_id: networks[0].id, url };
  await api.send("GET", "/api/v1/daemons", { key: keys.member });
  const before = await api.calls();
  await provision(api, keys.member, json);
  expect((await api.calls()) - before).toBe(1);
});

describe("Idempotency-Key", () => {
  test("a replay does not create anything or return a key", async () => {
    const api = openApi();
    const { id, keys, networks } = await mintOrganization();
    const json = { name: "attic", network_id: networks[0].id, url };
    const headers = { "Idempotency-Key": "a" };
    const first = provisioned(await provision(api, keys.member, json, headers));
    const replay = await changingNothing(id, () => provision(api, keys.member, json, headers));
    expect(replay).toMatchObject({
      status: 201,
      body: { data: { daemon: first.daemon, daemon_api_key: null } },
    });
    expect(replay.headers.get("idempotent-replayed")).toBe("true");
    expect(await rowsHolding([first.daemon_api_key])).toEqual([]);
  });

  test("two concurrent requests create one daemon, and its key can be decrypted", async () => {
    const api = openApi();
    const { id, keys, networks } = await mintOrganization();
    const json = { name: "attic", network_id: networks[0].id, url };
    const send = () => provision(api, keys.member, json, { "Idempotency-Key": "a" });
    const answers = await Promise.all([send(), send()]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    const plaintexts = answers.flatMap(({ body }) => Object(body).data.daemon_api_key ?? []);
    expect(plaintexts).toHaveLength(1);
    const [daemon] = await sql`select id from daemons where organization_id = ${id}`;
    const ring = keyRingOf(settingsOf(api.env));
    const place = tokenPlace(id, String(daemon?.["id"]), url);
    expect(await ring.open(await sealedToken(String(daemon?.["id"])), place)).toBe(plaintexts[0]);
  });
});

describe("rejects", () => {
  test("networks and tags that the key cannot see", async () => {
    const api = openApi();
    const { id, keys, networks, tags } = await mintOrganization();
    const other = await mintOrganization();
    const limited = await mintKey(id, { role: "Member" }, [networks[0].id]);
    const refused = async (key: string, sent: object, params: Record<string, unknown>) => {
      const json = { name: "attic", network_id: networks[0].id, url, ...sent };
      expect(seen(await changingNothing(id, () => provision(api, key, json)))).toEqual(
        failed("entity_reference_invalid", params),
      );
    };
    for (const [key, network_id] of [
      [keys.owner, other.networks[0].id],
      [keys.owner, crypto.randomUUID()],
      [limited, networks[1].id],
    ] as const) {
      const params = { entity: "Network", field: "body.network_id", id: network_id };
      await refused(key, { network_id }, params);
    }
    const params = { entity: "Tag", field: "body.tags", id: other.tags[0] };
    await refused(keys.owner, { tags: [tags[0], other.tags[0]] }, params);
  });

  test("an id that is taken, unless it is taken only in another organization", async () => {
    const api = openApi();
    const [first, second] = [await mintOrganization(), await mintOrganization()];
    const json = { id: crypto.randomUUID(), name: "attic", url };
    const send = ({ keys, networks }: typeof first) =>
      provision(api, keys.member, { ...json, network_id: networks[0].id });
    expect((await send(first)).status).toBe(201);
    expect((await send(second)).status).toBe(201);
    const params = { entity: "Daemon", field: "body.id", id: json.id };
    expect(seen(await send(first))).toEqual(failed("entity_already_exists", params));
  });

  test.each([
    "ftp://daemon.example.com",
    "daemon.example.com",
    "https://user@daemon.example.com",
    "https://:password@daemon.example.com",
    "https://daemon.example.com?a=b",
    "https://daemon.example.com#a",
    "https://",
    "",
    `https://daemon.example.com/${"x".repeat(2048)}`,
  ])("the URL %s", async (wrong) => {
    const api = openApi();
    const { keys, networks } = await mintOrganization();
    const json = { name: "attic", network_id: networks[0].id, url: wrong };
    expect(seen(await provision(api, keys.member, json))).toEqual(invalidAt("body.url"));
  });

  test("a mode in which the daemon polls the service", async () => {
    const api = openApi();
    const { keys, networks } = await mintOrganization();
    const json = { name: "attic", network_id: networks[0].id, url, mode: "daemon_poll" };
    expect(seen(await provision(api, keys.member, json))).toEqual(invalidAt("body.mode"));
  });

  test("a name that is empty or longer than 100 characters", async () => {
    const api = openApi();
    const { keys, networks } = await mintOrganization();
    const json = { network_id: networks[0].id, url };
    for (const name of [" ", "x".repeat(101)]) {
      expect(seen(await provision(api, keys.member, { ...json, name }))).toEqual(
        invalidAt("body.name"),
      );
    }
    const longest = await provision(api, keys.member, { ...json, name: "x".repeat(100) });
    expect(longest.status).toBe(201);
  });
});

test("a URL is stored as the URL standard serializes it", async () => {
  const api = openApi();
  const { keys, networks } = await mintOrganization();
  const json = {
    name: "attic",
    network_id: networks[0].id,
    url: " HTTPS://Daemon.Example.COM:443/a/../b ",
  };
  const { daemon } = provisioned(await provision(api, keys.member, json));
  expect(daemon.url).toBe("https://daemon.example.com/b");
});

test("a key limited to specific networks can provision daemons on them", async () => {
  const api = openApi();
  const { id, networks } = await mintOrganization();
  const limited = await mintKey(id, { role: "Member" }, [networks[0].id]);
  const json = { name: "attic", network_id: networks[0].id, url };
  const { daemon } = provisioned(await provision(api, limited, json));
  expect((await daemonRow(daemon.id)).network_id).toBe(networks[0].id);
});

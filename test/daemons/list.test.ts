import { expect, test } from "vitest";
import { invalidAt, listed, seen, succeeded } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { sql } from "../helpers/database.ts";
import { mintDaemon, mintKey, mintOrganization, unreachable } from "../helpers/organization.ts";
import { describePaging } from "../helpers/paging.ts";

const path = "/api/v1/daemons";
const times = { created_at: "2026-01-01T00:00:00.000Z", updated_at: "2026-01-02T00:00:00.100Z" };

/** The fields, as callers see them, of a daemon that has responded to a poll. */
const wasSeen = {
  version_status: { version: "0.14.2", status: "Current", warnings: [] },
  last_seen: "2026-04-22T15:57:37.840Z",
};

/** A daemon in each possible state, and its fields as callers see them. */
const states = {
  "that has never been polled": [{ next_poll_at: "2026-01-03T00:00:00.000Z" }, {}],
  "that responds": [
    {
      version: "0.14.2",
      last_seen_at: "2026-04-22T15:57:37.840Z",
      next_poll_at: "2026-04-22T15:58:07.840Z",
      is_slow: true,
    },
    wasSeen,
  ],
  "that is being polled": [
    { next_poll_at: "2026-01-03T00:00:00.000Z", lease_expires_at: "2099-01-01T00:00:00.000Z" },
    {},
  ],
  "that failed with an HTTP status": [
    {
      version: "0.14.2",
      last_seen_at: "2026-04-22T15:57:37.840Z",
      consecutive_failures: 2,
      next_poll_at: "2026-04-22T15:58:07.840Z",
      last_error: "http_status",
      last_error_http_status: 502,
      last_error_at: "2026-04-22T15:57:57.840Z",
    },
    {
      ...wasSeen,
      last_error: {
        code: "http_status",
        http_status: 502,
        occurred_at: "2026-04-22T15:57:57.840Z",
      },
    },
  ],
  "whose token cannot be decrypted": [
    {
      last_error: "token_unreadable",
      last_error_at: "2026-04-22T15:57:57.840Z",
      next_poll_at: "2026-04-22T16:02:57.840Z",
    },
    {
      last_error: {
        code: "token_unreadable",
        http_status: null,
        occurred_at: "2026-04-22T15:57:57.840Z",
      },
    },
  ],
  "that is unreachable": [
    unreachable,
    {
      is_unreachable: true,
      last_error: { code: "timed_out", http_status: null, occurred_at: unreachable.last_error_at },
    },
  ],
} as const;

/** The fields, as callers see them, of a daemon with these values. */
const wire = (id: string, organization_id: string, network_id: string, values: object) => {
  const fields: Record<string, unknown> = {
    ...times,
    id,
    organization_id,
    network_id,
    name: "attic",
    url: "https://attic.example.com",
    host_id: null,
    mode: "server_poll",
    version: null,
    version_status: { version: null, status: "Unknown", warnings: [] },
    last_seen: null,
    is_unreachable: false,
    unreachable_since: null,
    consecutive_failures: 0,
    last_error: null,
    external_id: null,
    metadata: {},
    tags: [],
    scan_schedule: null,
    receives_credentials: true,
    capabilities: { has_docker_socket: false, interfaced_subnet_ids: [] },
    user_id: null,
    ...values,
  };
  delete fields["last_seen_at"];
  delete fields["is_slow"];
  delete fields["lease_expires_at"];
  delete fields["last_error_at"];
  delete fields["last_error_http_status"];
  return fields;
};

test.each(Object.entries(states))(
  "the list and the single-record endpoint return all fields of a daemon %s",
  async (_, [values, fields]) => {
    const api = openApi();
    const { id: organizationId, keys, networks } = await mintOrganization();
    const id = await mintDaemon(organizationId, networks[0].id, {
      ...times,
      name: "attic",
      url: "https://attic.example.com",
      ...values,
    });
    const expected = wire(id, organizationId, networks[0].id, { ...values, ...fields });

    const list = await api.send("GET", path, { key: keys.viewer });
    const one = await api.send("GET", `${path}/${id}`, { key: keys.viewer });

    const meta = { api_version: 1, server_version: expect.any(String) };
    expect(list.body).toEqual({
      success: true,
      data: [expected],
      meta: {
        ...meta,
        pagination: { total_count: 1, limit: 50, offset: 0, has_more: false, next_cursor: null },
        etags: [one.headers.get("etag")],
      },
    });
    expect(one.body).toEqual({ success: true, data: expected, meta });
    expect([list.status, one.status, await api.calls()]).toEqual([200, 200, 2]);
    const everything = await api.send("GET", `${path}?limit=0`, { key: keys.viewer });
    expect(listed(everything.body)).toEqual([expected]);
    for (const { text } of [list, one, everything]) {
      expect(text.replace("token_unreadable", "")).not.toContain("token");
      expect(text).not.toContain("lease");
      expect(text).not.toContain("generation");
    }
  },
);

describePaging(path, ({ id, networks }, created_at) =>
  mintDaemon(id, networks[0].id, { created_at }),
);

test("without a limit, the list returns all daemons starting at the offset, each once and in order", async () => {
  const api = openApi();
  const { id: organizationId, keys, networks } = await mintOrganization();
  await sql`
    insert into daemons (organization_id, network_id, name, url, created_at)
    select ${organizationId}, ${networks[0].id}, 'Test', 'https://daemon.example.com',
      timestamptz '2026-01-01T00:00:00Z' + (number / 3) * interval '1 ms'
    from generate_series(1, 2500) as number`;
  const rows = await sql`
    select id from daemons where organization_id = ${organizationId} order by created_at, id`;
  const ordered = rows.map(({ id }) => id);
  for (const offset of [0, 499, 1500]) {
    const { body } = await api.send("GET", `${path}?limit=0&offset=${offset}`, {
      key: keys.viewer,
    });
    expect(listed(body).map(({ id }) => id)).toEqual(ordered.slice(offset));
    expect(body).toMatchObject({
      meta: {
        pagination: { total_count: 2500, limit: 0, offset, has_more: false, next_cursor: null },
      },
    });
  }
});

test("a key limited to specific networks sees only daemons on those networks", async () => {
  const api = openApi();
  const { id: organizationId, networks } = await mintOrganization();
  const inside = await mintDaemon(organizationId, networks[0].id);
  const outside = await mintDaemon(organizationId, networks[1].id);
  const key = await mintKey(organizationId, { role: "Viewer" }, [networks[0].id]);
  const none = await mintKey(organizationId, { role: "Viewer" }, []);
  for (const query of ["", "?limit=0"]) {
    const { body } = await api.send("GET", path + query, { key });
    expect(listed(body).map(({ id }) => id)).toEqual([inside]);
    expect(body).toMatchObject({ meta: { pagination: { total_count: 1 } } });
    expect(listed((await api.send("GET", path + query, { key: none })).body)).toEqual([]);
  }
  expect(seen(await api.send("GET", `${path}/${inside}`, { key }))).toEqual(succeeded());
  expect(await api.send("GET", `${path}/${outside}`, { key })).toMatchObject({ status: 404 });
});

test("rejects an id that is not a UUID, and accepts a UUID in upper case", async () => {
  const api = openApi();
  const { id: organizationId, keys, networks } = await mintOrganization();
  const id = await mintDaemon(organizationId, networks[0].id);
  const none = await api.send("GET", `${path}/1`, { key: keys.viewer });
  expect(seen(none)).toEqual(invalidAt("path.id"));
  expect(await api.send("GET", `${path}/${id.toUpperCase()}`, { key: keys.viewer })).toMatchObject({
    status: 200,
    body: { data: { id } },
  });
});

test("host_id refers to the daemon's host, and is null once the host is deleted", async () => {
  const api = openApi();
  const { id: organizationId, keys, networks } = await mintOrganization();
  const { id: network_id, host_id } = networks[0];
  const id = await mintDaemon(organizationId, network_id, { host_id });
  const read = () => api.send("GET", `${path}/${id}`, { key: keys.viewer });
  expect((await read()).body).toMatchObject({ data: { host_id, network_id } });
  await sql`delete from hosts where id = ${host_id}`;
  expect((await read()).body).toMatchObject({ data: { host_id: null, network_id } });
});

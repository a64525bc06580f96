import { expect, test } from "vitest";
import { failed, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { openInventory } from "../helpers/inventory.ts";
import { mintOrganization } from "../helpers/organization.ts";
import { routes } from "../helpers/routes.ts";

const id = "0d5c7c1e-2f7b-4c55-9d57-4f6c1e0f7a01";

/** Sends a request to the API, and returns its error text. */
async function errorOf(method: string, path: string, body?: BodyInit | object) {
  const { keys } = await mintOrganization();
  const isText = typeof body === "string" || body instanceof Uint8Array;
  const answer = await openApi().send(method, `/api/v1/${path}`, {
    key: keys.owner,
    ...(isText ? { body, headers: { "Content-Type": "application/json" } } : { json: body }),
  });
  return Object(answer.body).error;
}

test.each(["subnets", "hosts", "ip-addresses", "ports", "interfaces", "services", "bindings"])(
  "the error for `at` on a single record in %s names the list that accepts it",
  async (collection) => {
    expect(await errorOf("GET", `${collection}/${id}?at=2025-01-01T00:00:00Z`)).toBe(
      `query.at is a parameter of the list: for one record, use GET /api/v1/${collection}?ids={id}&at=….`,
    );
  },
);

test("the error for the parameter include_children on a single host names the list that accepts it", async () => {
  expect(await errorOf("GET", `hosts/${id}?include_children=false`)).toBe(
    "query.include_children is a parameter of the list: for one record, use GET /api/v1/hosts?ids={id}&include_children=….",
  );
});

test.each(["services", "changes"])(
  "the error for updated_since at GET /%s names the parameter since of the feed of changes",
  async (list) => {
    expect(await errorOf("GET", `${list}?updated_since=2025-01-01T00:00:00Z`)).toBe(
      "query.updated_since is not a parameter of this request: GET /api/v1/changes?since=… lists what changed, and last_seen_after selects by sighting.",
    );
  },
);

test("the parameter updated_since is unknown for a list without history", async () => {
  expect(await errorOf("GET", "tags?updated_since=2025-01-01T00:00:00Z")).toMatch(
    /^query\.updated_since is not a parameter of this request, which accepts /,
  );
});

test("the parameter at is unknown for a record without history", async () => {
  expect(await errorOf("GET", `tags/${id}?at=2025-01-01T00:00:00Z`)).toBe(
    "query.at is not a parameter of this request, which accepts none.",
  );
});

test.each([
  ["POST", "hosts"],
  ["PUT", `hosts/${id}`],
])(
  "the error for an unknown field in %s %s lists the children among the known fields",
  async (method, path) => {
    const error = await errorOf(method, path, { network_id: id, name: "x", rack: 1 });
    expect(error).toMatch(
      /which accepts id, network_id, name, ip_addresses, ports, interfaces, services, credential_assignments, .* and \d+ more, see \/docs\.$/,
    );
  },
);

test.each([
  ["hosts/ID/services", "services?host_id=ID"],
  ["hosts/ID/ip-addresses", "ip-addresses?host_id=ID"],
  ["hosts/ID/changes", "changes?host_id=ID"],
  ["networks/ID/hosts", "hosts?network_id=ID"],
  ["services/ID/bindings", "bindings?service_id=ID"],
  ["ip-addresses/ID/bindings", "bindings?ip_address_id=ID"],
  ["subnets/ID/ip-addresses/", "ip-addresses?subnet_id=ID"],
  ["tags/ID/hosts", "hosts?tag_ids=ID"],
  ["hosts/ID/tags", "hosts/ID"],
  ["hosts/ID/bindings", "bindings?host_id=ID"],
  ["hosts/ID/history", "hosts/ID/timeline"],
  ["services/ID/changes", "services/ID/timeline"],
])("the error for GET %s names %s", async (path, nearest) => {
  const requested = `/api/v1/${path.replace("ID", id)}`;
  const answer = await openApi().send("GET", requested);
  expect(seen(answer)).toEqual(
    failed("route_not_found", {
      method: "GET",
      path: requested,
      nearest: `/api/v1/${nearest.replace("ID", id)}`,
    }),
  );
});

test.each([`hosts/${id}/nothing`, `nothing/${id}/hosts`])(
  "the error for GET %s does not name a path, since there is no such collection",
  async (path) => {
    const requested = `/api/v1/${path}`;
    const answer = await openApi().send("GET", requested);
    expect(seen(answer)).toEqual(failed("route_not_found", { method: "GET", path: requested }));
  },
);

test.each([
  ["POST", "daemons", "/api/v1/daemons/provision"],
  ["PUT", "hosts", "/api/v1/hosts/{id}"],
  ["DELETE", "tags", "/api/v1/tags/{id}"],
  ["POST", `daemons/${id}`, `/api/v1/daemons/{id}/retry-connection`],
  ["PATCH", "hosts/by-external-id/cmdb%2F7", "/api/v1/hosts/{id}"],
  ["DELETE", `tags/by-external-id/${id}`, "/api/v1/tags/{id}"],
  ["GET", "hosts/by-external-id/7", "/api/v1/hosts?external_id={external_id}"],
])("the error for %s %s names %s", async (method, path, nearest) => {
  const answer = await openApi().send(method, `/api/v1/${path}`);
  expect(answer).toMatchObject({ status: 405, body: { params: { nearest } } });
});

test("the error for a method that no path below this one supports does not name a path", async () => {
  const answer = await openApi().send("POST", "/api/v1/dependencies");
  expect(seen(answer)).toEqual(
    failed("method_not_allowed", { method: "POST", allowed: ["GET", "HEAD"] }),
  );
});

const single = routes.filter(({ steps }) => steps.some(({ verb }) => verb?.name === "create"));
test.each(single.map(({ path }) => path.replace("/api/v1/", "")))(
  "the error for an array at POST %s names the bulk path, and the error for an object at the bulk path names the single path",
  async (path) => {
    expect(await errorOf("POST", path, [])).toMatch(
      new RegExp(
        `^body must be an object such as \\{"\\w+": ….*; send an array to POST /api/v1/${path}/bulk\\.$`,
      ),
    );
    expect(await errorOf("POST", `${path}/bulk`, {})).toBe(
      `body must be an array; send a single record to POST /api/v1/${path}.`,
    );
  },
);

test("the error for an array sent to POST auth/keys names the bulk path", async () => {
  expect(await errorOf("POST", "auth/keys", [])).toBe(
    'body must be an object such as {"name": …, "permissions": …}; send an array to POST /api/v1/auth/keys/bulk.',
  );
});

test("the error for an object sent to bulk-delete describes the array, and the error for an array sent to PATCH describes the object", async () => {
  expect(await errorOf("POST", "tags/bulk-delete", { ids: [id] })).toBe(
    'body must be an array; send an array of ids, as in ["3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11"].',
  );
  expect(await errorOf("PATCH", `tags/${id}`, [{ op: "replace" }])).toBe(
    'body must be an object; send the fields to change, as in {"name": …}.',
  );
});

test.each([
  ["", "The body is empty: send JSON."],
  [new Uint8Array([0x22, 0xe9, 0x22]), /^The body is not in UTF-8 \(it may be in Latin-1/],
  ['{"name": "x",}', /^The body has a trailing comma at line 1, column 13, which/],
  ['{"name": "x"', /^The body is truncated at line 1, column 13: send all of it\.$/],
])("the error for the body %j describes the problem", async (body, error) => {
  expect(await errorOf("POST", "tags", body)).toMatch(error);
});

test.each([
  [
    "application/json",
    "Starting Nmap 7.93 ( https://nmap.org )",
    /^body is nmap output for people.*-oX/,
  ],
  ["application/json", "<?xml version='1.0'?>", /^body is XML: send it with .*application\/xml\.$/],
  ["application/json", "", /^The body is empty/],
  [
    "application/xml",
    "Nmap scan report for 192.0.2.1",
    /^Line 1 of the body: this is nmap output for people.*-oX/,
  ],
  [
    "application/xml",
    '{"hosts": []}',
    /JSON: send JSON with the header Content-Type: application\/json\.$/,
  ],
  ["text/xml", "\n", /^Line 1 of the body: it is empty\. .*nmap -oX/],
])("the error for an import of %s %j describes what to send", async (type, body, error) => {
  const { api, organization, network_id } = await openInventory();
  const answer = await api.send("POST", `/api/v1/networks/${network_id}/imports`, {
    key: organization.keys.member,
    headers: { "Content-Type": type },
    body,
  });
  expect(answer.status).toBe(400);
  expect(Object(answer.body).error).toMatch(error);
});

test("the error for an invalid dry_run contains an example", async () => {
  expect(await errorOf("POST", `networks/${id}/imports?dry_run=yes`, { hosts: [{}] })).toBe(
    "query.dry_run must be true or false, given once, as in ?dry_run=true.",
  );
});

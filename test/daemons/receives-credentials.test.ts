import { describe, expect, test } from "vitest";
import { failed, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { enter, sql } from "../helpers/database.ts";
import { mintCredential, mintDaemon, mintOrganization } from "../helpers/organization.ts";
import { raiseScanner } from "../helpers/protocol.ts";
import { changingNothing } from "../helpers/rows.ts";
import { assignCredential } from "../helpers/scans.ts";
import { mintSession } from "../helpers/sessions.ts";

const path = "/api/v1/daemons";
const url = "https://daemon.example.com:60073/";

async function open(receives_credentials = false) {
  const api = openApi();
  const { id: organizationId, keys, networks } = await mintOrganization();
  const network_id = networks[0].id;
  const id = await mintDaemon(organizationId, network_id, { url, receives_credentials });
  const valid = { name: "attic", network_id, url };
  const put = (caller: "member" | "admin" | "owner", values: object = {}) =>
    api.send("PUT", `${path}/${id}`, { key: keys[caller], json: { ...valid, ...values } });
  return { api, organizationId, keys, id, valid, put };
}

const withValue = (receives_credentials: boolean) => ({ body: { data: { receives_credentials } } });

test.each([
  ["member", false],
  ["admin", true],
  ["owner", true],
] as const)(
  "receives_credentials on a daemon provisioned by a key with the role %s: %s",
  async (caller, expected) => {
    const { api, keys, valid } = await open();
    const made = await api.send("POST", `${path}/provision`, { key: keys[caller], json: valid });
    expect(made).toMatchObject({
      status: 201,
      body: { data: { daemon: { receives_credentials: expected } } },
    });
  },
);

describe("PUT", () => {
  test("an Admin can enable and disable receives_credentials, with a new ETag each time", async () => {
    const { put } = await open();
    const confirmed = await put("admin", { receives_credentials: true });
    expect(confirmed).toMatchObject(withValue(true));
    const withdrawn = await put("owner", { receives_credentials: false });
    expect(withdrawn).toMatchObject(withValue(false));
    expect(withdrawn.headers.get("etag")).not.toBe(confirmed.headers.get("etag"));
  });

  test("a Member cannot enable receives_credentials", async () => {
    const { put, organizationId } = await open();
    const attempt = () => put("member", { receives_credentials: true });
    expect(seen(await changingNothing(organizationId, attempt))).toEqual(
      failed("auth_permission_denied", { required_role: "Admin", role: "Member" }),
    );
  });

  test.each([true, false])(
    "accepts a record sent back by a Member with the unchanged value %s",
    async (value) => {
      const { api, put, id, keys } = await open(value);
      const { body } = await api.send("GET", `${path}/${id}`, { key: keys.viewer });
      expect(body).toMatchObject({ data: { receives_credentials: value } });
      expect(await put("member", Object(body).data)).toMatchObject({
        status: 200,
        ...withValue(value),
      });
    },
  );

  test.each([true, false])("if omitted, the value stays %s, whatever the role", async (value) => {
    const { put } = await open(value);
    expect(await put("member", { url: `${url}other` })).toMatchObject(withValue(value));
    expect(await put("admin")).toMatchObject(withValue(value));
  });

  test("a Member can disable receives_credentials", async () => {
    const { put } = await open(true);
    expect(await put("member", { receives_credentials: false })).toMatchObject(withValue(false));
  });
});

// The API rejects a change to another origin. In that case, the database also resets the value,
// even for the Worker's login.
test.each([
  ["member", "https://other.example.com:60073/", false],
  ["member", "HTTPS://Daemon.example.com:60073/new", true],
  ["admin", "https://other.example.com:60073/", true],
] as const)(
  "when a %s changes the URL to %s, the value becomes %s",
  async (caller, other, expected) => {
    const { id, keys } = await open(true);
    await sql.transaction([
      enter(keys[caller]),
      sql`update daemons set url = ${other}, receives_credentials = true where id = ${id}`,
    ]);
    expect(await sql`select receives_credentials from daemons where id = ${id}`).toEqual([
      { receives_credentials: expected },
    ]);
  },
);

test("a scan includes credentials only if the daemon may receive them, and records which ones", async () => {
  const scanner = await raiseScanner();
  const { id: organizationId, networks } = scanner.organization;
  const credential = await mintCredential(organizationId, { settings: { type: "DockerSocket" } });
  await assignCredential(organizationId, credential, {
    network_id: scanner.networkId,
    host_id: networks[0].host_id,
  });
  const scopeOf = async (receives: boolean) => {
    await sql`update daemons set receives_credentials = ${receives} where id = ${scanner.id}`;
    await sql`update discovery_sessions set phase = 'Failed', error = 'stalled', finished_at = now()
      where daemon_id = ${scanner.id} and finished_at is null`;
    const session = await mintSession(organizationId, scanner.networkId, scanner.id);
    await scanner.visit();
    const [row] = await sql`
      select scope.credentials from app.handed_scans as handed
      join app.scan_scopes as scope on scope.organization_id = handed.organization_id
        and scope.id = handed.scope_id
      where handed.session_id = ${session}`;
    const handed = (await scanner.got("discovery/initiate")).at(-1);
    return { mappings: Object(handed).credential_mappings.length, scope: row?.["credentials"] };
  };
  expect(await scopeOf(false)).toEqual({ mappings: 0, scope: {} });
  const { mappings, scope } = await scopeOf(true);
  expect(mappings).toBe(1);
  // The name consists of the credential's id and a digest of its settings. The value describes the
  // records that the credential may reveal.
  const [[name = "", reach] = []] = Object.entries(Object(scope));
  expect([name.split(" ")[0], reach]).toEqual([
    credential,
    { type: "DockerSocket", network: true },
  ]);
});

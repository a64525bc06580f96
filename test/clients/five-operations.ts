import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import demo from "../../drizzle/demo.json" with { type: "json" };
import type { components, paths } from "./schema.d.ts";

type CredentialInput = components["schemas"]["CredentialInput"];
type HostPatch = components["schemas"]["HostPatch"];

/** Sends a request, as `fetch` does. */
type Send = (request: Request) => Promise<Response>;

const open = (baseUrl: string, key: string, send: Send = fetch) =>
  createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` }, fetch: send });

/** Calls each of the five operations through a client generated from the OpenAPI document. */
export async function callFiveOperations(baseUrl: string, send?: Send): Promise<void> {
  const owner = open(baseUrl, demo.keys.owner, send);

  const listed = await owner.GET("/api/v1/credentials", {
    params: { query: { type: "SnmpV1", order_by: "name", limit: 10 } },
  });
  assert.equal(listed.response.status, 200);
  const [credential] = listed.data?.data ?? [];
  assert.ok(credential, "there is a credential");
  assert.equal(listed.data?.meta.pagination.has_more, false);
  // The discriminators produce unions that can be narrowed, down to a secret's mask.
  assert.ok(credential.credential_type.type === "SnmpV1");
  assert.ok(credential.credential_type.community.mode === "Inline");
  const mask: string = credential.credential_type.community.value;
  assert.equal(mask, "********");

  const { id, created_at, updated_at, ...read } = credential;
  const body: CredentialInput = { ...read, credential_type: credential.credential_type };
  const updated = await owner.PUT("/api/v1/credentials/{id}", { params: { path: { id } }, body });
  assert.deepEqual(updated.data?.data, {
    ...credential,
    updated_at: updated.data?.data.updated_at,
  });
  assert.notEqual(updated.data?.data.updated_at, updated_at);
  assert.equal(updated.data?.data.created_at, created_at);

  const organization = { params: { path: { id: demo.organization.id } } };
  const renamed = await owner.PUT("/api/v1/organizations/{id}", {
    ...organization,
    body: "Harbour Street Lab",
  });
  assert.equal(renamed.data?.data.name, "Harbour Street Lab");

  const [daemon] = demo.daemons.filter(({ is_unreachable }) => is_unreachable);
  const retried = await owner.POST("/api/v1/daemons/{id}/retry-connection", {
    params: { path: { id: daemon?.id ?? "" } },
  });
  assert.deepEqual(retried.data?.data, {});

  const bindings = await owner.GET("/api/v1/bindings", {
    params: { query: { at: "2026-01-01T00:00:00Z", limit: 3, offset: 1 } },
  });
  assert.equal(bindings.response.status, 200);
  assert.equal(bindings.data?.meta.pagination.offset, 1);
}

/** Fills the second demo organization, which is empty, as a script would. */
export async function fillOrganization(baseUrl: string, send?: Send): Promise<void> {
  const owner = open(baseUrl, demo.other.keys.owner, send);
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const body = { name: "Office" };
  const network = await owner.POST("/api/v1/networks", { body, params: { header: headers } });
  const network_id = network.data?.data.id;
  assert.ok(network_id);
  const again = await owner.POST("/api/v1/networks", { body, params: { header: headers } });
  assert.equal(again.data?.data.id, network_id);
  assert.equal(again.response.headers.get("Idempotent-Replayed"), "true");

  const tag = await owner.POST("/api/v1/tags", { body: { name: "core", color: "Blue" } });
  const tags = [tag.data?.data.id ?? ""];
  const credential = await owner.POST("/api/v1/credentials", {
    body: {
      name: "Switches",
      organization_id: demo.other.organization.id,
      tags,
      assigned_network_ids: [network_id],
      host_assignments: [],
      credential_type: { type: "SnmpV2c", community: { mode: "Inline", value: "public" } },
    },
  });
  assert.deepEqual(credential.data?.data.tags, tags);
  const made = await owner.POST("/api/v1/auth/keys", {
    body: { name: "Dashboard", permissions: "Viewer", network_ids: [network_id] },
  });
  const daemon = await owner.POST("/api/v1/daemons/provision", {
    body: { name: "attic", network_id, url: "http://127.0.0.1:1", tags },
  });
  assert.match(daemon.data?.data.daemon_api_key ?? "", /^inv_d_/);

  const dashboard = open(baseUrl, made.data?.data.key ?? "", send);
  const self = await dashboard.GET("/api/v1/auth/whoami");
  assert.deepEqual(self.data?.data.api_key.network_ids, [network_id]);
  const daemons = await dashboard.GET("/api/v1/daemons");
  assert.deepEqual(
    daemons.data?.data.map(({ name }) => name),
    ["attic"],
  );
}

/** Changes single fields of a host. Every resource has the type of its own patch. */
export async function patchHost(baseUrl: string, send?: Send): Promise<void> {
  const owner = open(baseUrl, demo.keys.owner, send);
  const listed = await owner.GET("/api/v1/hosts", {
    params: { query: { limit: 1, include_children: false } },
  });
  const [host] = listed.data?.data ?? [];
  assert.ok(host, "there is a host");
  assert.equal(host.ports, undefined);
  const params = { path: { id: host.id } };
  const body: HostPatch = { description: "In the hall", hidden: true };
  const patched = await owner.PATCH("/api/v1/hosts/{id}", { params, body });
  assert.equal(patched.data?.data.description, "In the hall");
  assert.equal(patched.data?.data.name, host.name);
  const cleared = await owner.PATCH("/api/v1/hosts/{id}", { params, body: { description: null } });
  assert.equal(cleared.data?.data.description, null);
  assert.equal(cleared.data?.data.hidden, true);
  // openapi-fetch infers the type of its options, so it does not find unknown fields by itself.
  // @ts-expect-error a misspelled field
  const misspelled: HostPatch = { nmae: "x" };
  const rejected = await owner.PATCH("/api/v1/hosts/{id}", { params, body: misspelled });
  assert.equal(rejected.error?.code, "validation_failed");
  // @ts-expect-error a name cannot be cleared
  const nameless = await owner.PATCH("/api/v1/hosts/{id}", { params, body: { name: null } });
  assert.equal(nameless.error?.code, "validation_failed");
}

/** Causes failures whose codes and parameters are known to the client. */
export async function provokeFailures(baseUrl: string, send?: Send): Promise<void> {
  const id = crypto.randomUUID();
  const viewer = open(baseUrl, demo.keys.viewer, send);
  const denied = await viewer.PUT("/api/v1/organizations/{id}", {
    params: { path: { id } },
    body: "Acme",
  });
  assert.ok(denied.error?.code === "auth_permission_denied");
  const role: "Viewer" | "Member" | "Admin" | "Owner" = denied.error.params.required_role;
  assert.equal(role, "Owner");

  const member = open(baseUrl, demo.keys.member, send);
  const missing = await member.POST("/api/v1/daemons/{id}/retry-connection", {
    params: { path: { id } },
  });
  assert.ok(missing.error?.code === "entity_not_found");
  assert.equal(missing.error.params.id, id);

  const stranger = open(baseUrl, "inv_u_unknown", send);
  const unknown = await stranger.GET("/api/v1/bindings");
  assert.equal(unknown.error?.code, "auth_not_authenticated");
}

import { hc } from "hono/client";
import type {
  App,
  Binding,
  Host,
  HostPatch,
  IdentifiedHostPatch,
  InventoryChange,
  WebhookMessage,
} from "network-inventory-api-client";

// Type-checked as a frontend's strict project: see the tsconfigs. Nothing here is run: the only
// test is that it compiles.

type Equal<One, Other> =
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
const expectType = <Condition extends true>(condition?: Condition) => condition;

const client = hc<App>("https://api.example.com", {
  headers: { Authorization: "Bearer inv_u_…" },
});
const { auth, credentials, organizations, daemons, bindings, hosts } = client.api.v1;
const id = "3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11";

export async function listCredentials() {
  const response = await credentials.$get({ query: { type: "Snmp", limit: "10" } });
  expectType<
    Equal<typeof response.status, 200 | 304 | 400 | 401 | 403 | 406 | 409 | 429 | 500 | 503>
  >();
  if (response.ok) {
    const { data, meta } = await response.json();
    expectType<Equal<typeof meta.pagination.has_more, boolean>>();
    for (const { name, host_assignments, credential_type } of data) {
      expectType<Equal<typeof name, string>>();
      expectType<Equal<(typeof host_assignments)[number]["ip_address_ids"], string[] | null>>();
      if (credential_type.type === "SnmpV1" && credential_type.community.mode === "Inline") {
        expectType<Equal<typeof credential_type.community.value, "********">>();
      }
      if (credential_type.type === "DockerProxy") {
        expectType<Equal<typeof credential_type.port, number>>();
      }
      // @ts-expect-error not every type has a community
      credential_type.community;
    }
  }
}

export async function updateCredential() {
  const json = {
    name: "Switches",
    organization_id: id,
    tags: [],
    assigned_network_ids: [id],
    host_assignments: [{ host_id: id }],
    credential_type: { type: "SnmpV1", community: { mode: "Inline", value: "public" } },
  } as const satisfies object;
  const response = await credentials[":id"].$put({
    param: { id },
    json: { ...json, tags: [], assigned_network_ids: [id], host_assignments: [{ host_id: id }] },
  });
  expectType<
    Equal<
      typeof response.status,
      200 | 400 | 401 | 403 | 404 | 408 | 409 | 412 | 413 | 415 | 429 | 500 | 503
    >
  >();
  if (response.status === 400) {
    const failure = await response.json();
    expectType<
      Equal<
        typeof failure.code,
        "validation_failed" | "request_malformed_json" | "entity_reference_invalid"
      >
    >();
    if (failure.code === "validation_failed") {
      expectType<Equal<(typeof failure.params.issues)[number]["path"], string>>();
    }
  }
  if (response.status === 404) {
    expectType<Equal<Awaited<ReturnType<typeof response.json>>["code"], "entity_not_found">>();
  }
  credentials[":id"].$put({
    param: { id },
    // @ts-expect-error the body lacks almost everything
    json: { name: "Switches" },
  });
}

/** Hono's client sends query values as text. */
export async function listHostsWithoutChildren() {
  await hosts.$get({ query: { include_children: "false", limit: "10" } });
  // @ts-expect-error not a boolean as text
  await hosts.$get({ query: { include_children: "no" } });
}

/** A patch has the fields of its record, all of them optional; null clears. */
export async function patchRecords() {
  const patch: HostPatch = { description: null, tags: [], virtualization: { details: {} } };
  const response = await hosts[":id"].$patch({ param: { id }, json: patch });
  if (response.ok) {
    const { data } = await response.json();
    expectType<Equal<typeof data, Host>>();
  }
  // @ts-expect-error a misspelled field
  await hosts[":id"].$patch({ param: { id }, json: { nmae: "x" } });
  // @ts-expect-error a name cannot be cleared
  await hosts[":id"].$patch({ param: { id }, json: { name: null } });
  // @ts-expect-error a list is replaced, so its members are complete
  await hosts[":id"].$patch({ param: { id }, json: { ports: [{ number: 80 }] } });
  await credentials[":id"].$patch({
    param: { id },
    json: { credential_type: { type: "DockerProxy", community: null, port: 2376 } },
  });
  await bindings[":id"].$patch({
    param: { id },
    json: { type: "IPAddress", port_id: null, ip_address_id: id },
  });
  await organizations[":id"].$patch({ param: { id }, json: { name: "Acme" } });
}

export async function renameOrganization() {
  const response = await organizations[":id"].$put({ param: { id }, json: "Acme" });
  if (response.ok) {
    const { data } = await response.json();
    expectType<Equal<typeof data.use_case, "homelab" | "internal_it" | "msp" | "other">>();
  }
  if (response.status === 403) {
    const failure = await response.json();
    expectType<
      Equal<
        typeof failure.code,
        "auth_permission_denied" | "auth_scope_denied" | "organization_suspended"
      >
    >();
    if (failure.code === "auth_permission_denied") {
      const { required_role } = failure.params;
      expectType<Equal<typeof required_role, "Viewer" | "Member" | "Admin" | "Owner">>();
    }
  }
}

export async function retryDaemonConnection() {
  const response = await daemons[":id"]["retry-connection"].$post({ param: { id } });
  if (response.status === 429) {
    const { params } = await response.json();
    expectType<Equal<typeof params.retry_after_seconds, number>>();
  }
}

export async function listBindings() {
  const response = await bindings.$get({ query: { at: "2026-04-22T15:57:37.843Z" } });
  // @ts-expect-error only hosts have children that can be left out
  await bindings.$get({ query: { include_children: "false" } });
  if (response.ok) {
    const { data } = await response.json();
    expectType<Equal<(typeof data)[number]["valid_to"], string | null>>();
  } else {
    const { code } = await response.json();
    expectType<Equal<typeof code extends string ? true : false, true>>();
  }
}

export async function askWhoIAm() {
  const response = await auth.whoami.$get();
  if (response.ok) {
    const { data } = await response.json();
    expectType<Equal<typeof data.organization.name, string>>();
  }
}

/** Records have named types, which a frontend can import. */
export async function nameRecords() {
  const response = await hosts.$get();
  if (response.ok) {
    const { data } = await response.json();
    expectType<Equal<typeof data, Host[]>>();
  }
}

/** Each patch in a bulk PATCH has the id of its record. */
export async function patchSeveral(patch: IdentifiedHostPatch) {
  await hosts.bulk.$patch({ json: [patch, { id, name: "new" }] });
  // @ts-expect-error: without an id
  await hosts.bulk.$patch({ json: [{ name: "new" }] });
}

/** A 304 has no body, so a body read after `!response.ok` belongs to a failure. */
export async function readBinding() {
  const response = await bindings[":id"].$get({ param: { id } });
  if (!response.ok) {
    const { code, error } = await response.json();
    expectType<Equal<typeof error, string>>();
    return code;
  }
  const { data } = await response.json();
  expectType<Equal<typeof data, Binding>>();
  if (data.type === "Port") {
    expectType<Equal<typeof data.port_id, string>>();
  } else {
    expectType<Equal<typeof data.ip_address_id, string>>();
  }
  return data.type;
}

/** Returns the changes in the body of a request to a webhook. */
export function receive(message: WebhookMessage): InventoryChange[] {
  if (message.type === "inventory.changes") {
    expectType<Equal<typeof message.data.next_cursor, string>>();
    return message.data.changes;
  }
  expectType<Equal<typeof message.type, "inventory.test">>();
  return [];
}

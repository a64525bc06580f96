import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import { npmRun } from "../drizzle/helpers/npm.ts";
import type { paths } from "./schema.d.ts";

/** Creates an organization and its first key, as an operator does. Requests do the rest. */
async function createOrganization(folder: string, name: string) {
  const variables = { DATA_FOLDER: folder };
  const created = await npmRun("organization", ["create", name], variables);
  const [organization_id] = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/.exec(created.stdout) ?? [];
  assert.ok(organization_id, created.stderr);
  const options = ["create", "--organization", organization_id, "--name", "First key"];
  const { stdout, stderr } = await npmRun("key", options, variables);
  const [key] = /inv_u_\w+/.exec(stdout) ?? [];
  assert.ok(key, stderr);
  return { organization_id, key };
}

/**
 * Creates records in an empty organization with the generated client, as a script would, ending
 * with its first binding.
 * @param folder the data folder of the running service
 */
export async function fillUpToFirstBinding(baseUrl: string, folder: string): Promise<void> {
  const { organization_id, key } = await createOrganization(folder, "Acme");
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });
  const self = await client.GET("/api/v1/auth/whoami");
  assert.deepEqual(self.data?.data.organization, { id: organization_id, name: "Acme" });
  for (const path of ["/api/v1/networks", "/api/v1/hosts", "/api/v1/bindings"] as const) {
    const { data } = await client.GET(path);
    assert.deepEqual([path, data?.data], [path, []]);
  }

  const network_id = crypto.randomUUID();
  const network = await client.POST("/api/v1/networks", {
    body: { id: network_id, name: "Office" },
  });
  assert.equal(network.data?.data.id, network_id);
  const credential = await client.POST("/api/v1/credentials", {
    body: {
      organization_id,
      name: "Switches",
      tags: [],
      assigned_network_ids: [network_id],
      host_assignments: [],
      credential_type: { type: "SnmpV2c", community: { mode: "Inline", value: "public" } },
    },
  });
  assert.deepEqual(credential.data?.data.assigned_network_ids, [network_id]);

  const [ip_address_id, port_id] = [crypto.randomUUID(), crypto.randomUUID()];
  const host = await client.POST("/api/v1/hosts", {
    body: {
      network_id,
      name: "printer",
      ip_addresses: [{ id: ip_address_id, ip_address: "192.0.2.77" }],
      ports: [{ id: port_id, number: 631, protocol: "Tcp" }],
      services: [{ name: "Printing", bindings: [{ type: "Port", port_id, ip_address_id }] }],
    },
  });
  const [service] = host.data?.data.services ?? [];
  assert.ok(service, JSON.stringify(host.error));

  const bindings = await client.GET("/api/v1/bindings", { params: { query: { network_id } } });
  const [binding, ...others] = bindings.data?.data ?? [];
  assert.deepEqual(others, []);
  assert.ok(binding?.type === "Port");
  assert.deepEqual(
    [binding.service_id, binding.port_id, binding.ip_address_id, binding.valid_to],
    [service.id, port_id, ip_address_id, null],
  );

  const daemon = await client.POST("/api/v1/daemons/provision", {
    body: { name: "attic", network_id, url: "http://127.0.0.1:1" },
  });
  assert.match(daemon.data?.data.daemon_api_key ?? "", /^inv_d_/);
}

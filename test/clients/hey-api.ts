import assert from "node:assert/strict";
import demo from "../../drizzle/demo.json" with { type: "json" };
import { createClient } from "./generated/hey-api/client/index.ts";
import {
  getAllCredentials,
  listBindings,
  retryDaemonConnection,
  updateCredential,
  updateOrgName,
} from "./generated/hey-api/sdk.gen.ts";
import type { CredentialInput } from "./generated/hey-api/types.gen.ts";

/** Calls the five operations by the client that hey-api generates. */
export async function call(baseUrl: string): Promise<void> {
  const open = (auth: string) => createClient({ baseUrl, auth });
  const client = open(demo.keys.owner);
  const listed = await getAllCredentials({ client, query: { limit: 100 } });
  for (const { id, ...credential } of listed.data?.data ?? []) {
    const body: CredentialInput = credential;
    const updated = await updateCredential({ client, path: { id }, body });
    assert.equal(updated.data?.data.name, credential.name);
  }
  const path = { id: demo.organization.id };
  const renamed = await updateOrgName({ client, path, body: demo.organization.name });
  assert.equal(renamed.data?.data.name, demo.organization.name);
  const [daemon] = demo.daemons;
  const retried = await retryDaemonConnection({ client, path: { id: daemon?.id ?? "" } });
  assert.deepEqual(retried.data?.data, {});
  const bindings = await listBindings({ client, query: { at: "2026-01-01T00:00:00+00:00" } });
  assert.equal(bindings.data?.meta.pagination.offset, 0);

  const denied = await updateOrgName({ client: open(demo.keys.viewer), path, body: "Acme" });
  assert.ok(denied.error?.code === "auth_permission_denied");
  assert.equal(denied.error.params.required_role, "Owner");
}

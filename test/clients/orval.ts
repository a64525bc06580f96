import assert from "node:assert/strict";
import demo from "../../drizzle/demo.json" with { type: "json" };
import * as api from "./generated/orval/api.ts";
import * as zod from "./generated/orval/zod.ts";

/** Calls the five operations by the client that orval generates, and parses what they respond. */
export async function call(): Promise<void> {
  const options = (key: string) => ({
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
  });
  const owner = options(demo.keys.owner);
  const listed = await api.getAllCredentials({ limit: 100 }, owner);
  assert.ok(listed.status === 200);
  zod.getAllCredentialsResponse.parse(listed.data);
  for (const { id, ...credential } of listed.data.data) {
    const updated = await api.updateCredential(id, credential, owner);
    assert.ok(updated.status === 200);
    zod.updateCredentialResponse.parse(updated.data);
  }
  const { id, name } = demo.organization;
  const renamed = await api.updateOrgName(id, name, owner);
  assert.ok(renamed.status === 200);
  zod.updateOrgNameResponse.parse(renamed.data);
  const retried = await api.retryDaemonConnection(demo.daemons[0]?.id ?? "", owner);
  assert.ok(retried.status === 200);
  const bindings = await api.listBindings({ at: "2026-01-01T00:00:00Z" }, owner);
  assert.ok(bindings.status === 200);
  zod.listBindingsResponse.parse(bindings.data);

  const denied = await api.updateOrgName(id, "Acme", options(demo.keys.viewer));
  assert.ok(denied.status === 403 && denied.data.code === "auth_permission_denied");
  assert.equal(denied.data.params.required_role, "Owner");
}

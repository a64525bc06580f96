import { beforeAll, expect, test } from "vitest";
import { inline } from "../helpers/credentials.ts";
import { sql } from "../helpers/database.ts";
import { openFreshDatabase } from "../helpers/poller.ts";
import { openWebhooks, raiseReceiver } from "../helpers/webhooks.ts";
import { openAudit } from "./helpers.ts";

let variables: Record<string, string>;

beforeAll(async () => {
  variables = await openFreshDatabase();
}, 60_000);

/** Marks an organization's log as full, as an earlier transaction would have. */
const fill = (organization: string) =>
  sql`insert into app.full_audit_logs (organization_id, until, transaction_id)
    values (${organization}, now() + interval '1 hour', '1')`;

test("while the log is full, no caller can change anything that would be logged", async () => {
  const { organization, send, done } = await openAudit(variables);
  const { webhook } = await done<{ webhook: { id: string } }>("POST", "webhooks", {
    name: "Told",
    url: "https://told.test/hook",
  });
  const { api_key } = await done<{ api_key: { id: string } }>("POST", "auth/keys", {
    name: "Robot",
    permissions: "Viewer",
  });
  await fill(organization.id);
  for (const [method, path, json] of [
    ["PATCH", `webhooks/${webhook.id}`, { name: "Renamed" }],
    ["POST", `webhooks/${webhook.id}/rotate`, undefined],
    ["PATCH", `auth/keys/${api_key.id}`, { name: "Renamed" }],
    ["POST", `auth/keys/${api_key.id}/rotate`, undefined],
    ["PUT", `organizations/${organization.id}`, "Renamed"],
    ["PUT", `organizations/${organization.id}/history`, { history_days: 30 }],
  ] as const) {
    expect([path, (await send(method, path, json)).status]).toEqual([path, 429]);
  }
});

test("while the log is full, a key can be disabled, but not enabled until there is room", async () => {
  const { organization, send, done, logOf } = await openAudit(variables);
  const { api_key } = await done<{ api_key: { id: string } }>("POST", "auth/keys", {
    name: "Robot",
    permissions: "Admin",
  });
  await fill(organization.id);
  const enable = async (is_enabled: boolean) =>
    (await send("PATCH", `auth/keys/${api_key.id}`, { is_enabled })).status;
  expect([await enable(false), await enable(true)]).toEqual([200, 429]);
  expect((await logOf(api_key.id)).at(-1)).toBe("updated is_enabled");
  // This is how operators make room (operations, "Limits").
  await sql`delete from app.full_audit_logs where organization_id = ${organization.id}`;
  expect(await enable(true)).toBe(200);
});

test("while the log is full, deletions and their consequences still work", async () => {
  const { organization, send, done, logOf } = await openAudit(variables);
  const [network, other] = organization.networks;
  const { id } = await done("POST", "credentials", {
    organization_id: organization.id,
    name: "Community",
    credential_type: { type: "SnmpV2c", community: inline("public") },
    tags: [organization.tags[0]],
    assigned_network_ids: [network.id],
    host_assignments: [{ host_id: other.host_id, ip_address_ids: null }],
  });
  await fill(organization.id);
  for (const path of [`hosts/${other.host_id}`, `tags/${organization.tags[0]}`]) {
    expect([path, (await send("DELETE", path)).status]).toEqual([path, 200]);
  }
  expect(await logOf(id)).toEqual([
    "created",
    "assigned assigned_network_ids host_assignments",
    "unassigned host_assignments",
    "updated tags",
  ]);
});

test("while the log is full, an operator can still disable keys", async () => {
  const { organization, logOf } = await openAudit(variables);
  await fill(organization.id);
  const [key] = await sql`update user_api_keys set is_enabled = false
    where organization_id = ${organization.id} and role = 'Member' returning id`;
  expect((await logOf(key?.["id"])).at(-1)).toBe("updated is_enabled");
});

test("while the log is full, a webhook whose receiver is gone is still disabled", async () => {
  const hooks = await openWebhooks(variables);
  const receiver = raiseReceiver();
  await receiver.behave({ kind: "answer", status: 410 });
  const { id } = await hooks.create({ url: receiver.url });
  await hooks.addHost("first");
  await fill(hooks.organization.id);
  await hooks.settle();
  expect(await hooks.webhook(id)).toMatchObject({ is_enabled: false, disabled_reason: "gone" });
});

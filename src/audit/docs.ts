import * as z from "zod";
import { describeGroup, describeOperation } from "../openapi/describe.ts";
import { newestFirstCursor } from "../openapi/texts.ts";
import { listAudit } from "./list.ts";
import { type AuditEntry, auditEntrySchema } from "./model.ts";

const tag = describeGroup({
  name: "Audit",
  description:
    "The log of operations on credentials, networks, tags, daemons, webhooks, keys and the organization.",
});

const example: AuditEntry = {
  id: "0199a3d4-5f00-7c21-9a3e-2b8f5d1c7e64",
  at: "2026-04-22T15:57:37.843Z",
  action: "updated",
  entity: "Credential",
  entity_id: "550e8400-e29b-41d4-a716-446655440010",
  label: "Switches",
  changed: ["credential_type", "name"],
  actor: { type: "key", id: "3f8e0c5a-54bd-4f63-8f0e-6f0a6f5f3b11", name: "Deployment" },
  request_id: "7d0b1c52-0a3b-4f7e-9a53-1f2f8f0c9f10",
};

describeOperation(listAudit, {
  operationId: "get_audit_log",
  tag,
  summary: "List the audit log",
  description:
    "Lists the audit log, newest first: changes to credentials, networks, tags, daemons, webhooks, API keys and the organization, and requested scans, tests, retries and replays. Entries contain the names of changed fields, but no values. One request creates one entry per record and action. Changes to the inventory are in `GET /api/v1/changes`. Send `meta.next_cursor` as `cursor` while `meta.has_more` is true. Filter by one of `entity`, `entity_id` and `actor_id`. Requests cannot change or delete entries. Entries are kept for 400 days, or for the organization's `history_days` if that is longer. A key limited to specific networks sees only entries for those networks and their daemons.",
  parameters: {
    cursor: newestFirstCursor,
    entity: { description: "Only entries for these kinds of records.", example: example.entity },
    entity_id: { description: "Only entries for this record." },
    actor_id: { description: "Only actions by this key or daemon." },
    limit: { description: "Maximum number of entries.", example: 100 },
  },
  data: z.array(auditEntrySchema).max(1000),
  response: "The entries before the cursor.",
  example: { data: [example] },
});

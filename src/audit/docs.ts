import * as z from "zod";
import { describeGroup, describeOperation } from "../openapi/describe.ts";
import { listAudit } from "./list.ts";
import { type AuditEntry, auditEntrySchema } from "./model.ts";

const tag = describeGroup({
  name: "Audit",
  description: "Who did what to credentials, networks, tags, daemons, keys and the organization.",
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
  summary: "List who did what",
  description:
    "Lists the audit log, newest first: what was done to credentials, networks, tags, daemons, webhooks, API keys and the organization, and which scans, tests, retries and replays were requested, with names of fields and never their values. One request makes one entry for a record and an action. Changes of the inventory are in `GET /api/v1/changes`. Send `meta.next_cursor` as `cursor` while `meta.has_more` is true. Filter by one of `entity`, `entity_id`, `actor_id`. No request writes or changes an entry, and entries are kept for 400 days, or for `history_days` of the organization where that is more. A key limited to networks is told of these and their daemons alone.",
  parameters: {
    cursor: {
      description:
        "Where to go on: `meta.next_cursor` of the request before. Left out, the newest.",
    },
    entity: { description: "Only those of these kinds of records.", example: example.entity },
    entity_id: { description: "Only those of this record." },
    actor_id: { description: "Only what this key, or this daemon, has done." },
    limit: { description: "How many entries at most.", example: 100 },
  },
  data: z.array(auditEntrySchema).max(1000),
  response: "The entries before the cursor.",
  example: { data: [example] },
});

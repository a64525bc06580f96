import * as z from "zod";
import { auditActions, auditEntities } from "../database/tables/index.ts";
import { id } from "../http/input/id.ts";
import { timestamp } from "../http/input/timestamp.ts";
import { actorSchema } from "../http/verbs/actor.ts";

/** An entry of the audit log as callers see it (API contract, section 11). */
export const auditEntrySchema = z
  .object({
    id,
    at: timestamp,
    action: z.enum(auditActions),
    entity: z.enum(auditEntities),
    entity_id: id,
    label: z.string().max(100).meta({ description: "The name of the record, as it was then." }),
    changed: z.array(z.string().max(64)).max(64).meta({
      description: "The names of the fields that were changed; their values are not kept.",
    }),
    actor: actorSchema,
    request_id: z.string().max(64).nullable(),
  })
  .meta({
    id: "AuditEntry",
    description: "What somebody did to a record that has no history, or to its secrets.",
  });
export type AuditEntry = z.output<typeof auditEntrySchema>;

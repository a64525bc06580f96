import * as z from "zod";
import { auditActions, auditEntities } from "../database/tables/index.ts";
import { id } from "../http/input/id.ts";
import { timestamp } from "../http/input/timestamp.ts";
import { actorSchema } from "../http/verbs/actor.ts";

/** An entry in the audit log (API contract, section 11). */
export const auditEntrySchema = z
  .object({
    id,
    at: timestamp,
    action: z.enum(auditActions),
    entity: z.enum(auditEntities),
    entity_id: id,
    label: z.string().max(100).meta({ description: "The name of the record at that time." }),
    changed: z.array(z.string().max(64)).max(64).meta({
      description: "The names of the changed fields. Their values are not stored.",
    }),
    actor: actorSchema,
    request_id: z.string().max(64).nullable(),
  })
  .meta({
    id: "AuditEntry",
    description: "An operation on a record without history, or on its secrets.",
  });
export type AuditEntry = z.output<typeof auditEntrySchema>;

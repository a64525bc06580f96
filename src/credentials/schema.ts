import type { JSONParsed } from "hono/utils/types";
import * as z from "zod";
import { id } from "../http/input/id.ts";
import { setMaximum } from "../http/input/set.ts";
import { name } from "../http/input/text.ts";
import { recordFields } from "../http/record.ts";
import { credentialTypeSchema } from "./types.ts";

const ids = (description: string) =>
  z
    .array(id)
    .max(setMaximum)
    .meta({ description: `${description} Sorted.` });

const hostAssignmentSchema = z.object({ host_id: id, ip_address_ids: ids("").nullable() }).meta({
  id: "HostAssignment",
  description:
    "A host that the credential is for: the whole host if `ip_address_ids` is null, or only these addresses.",
});

/** A credential as callers see it (API contract, section 3). */
export const credentialSchema = z
  .object({
    ...recordFields,
    name: name,
    organization_id: id,
    tags: ids("Its tags."),
    assigned_network_ids: ids("The networks on which it is tried (broadcast scope)."),
    host_assignments: z.array(hostAssignmentSchema).max(setMaximum).meta({
      description: "The hosts it is for (per-host scope). Sorted by `host_id`.",
    }),
    credential_type: credentialTypeSchema,
  })
  .meta({
    id: "Credential",
    description: "Secrets and settings for access to hosts. Secrets are never returned.",
  });

/** A credential as JSON, its secrets masked. */
export type Credential = JSONParsed<z.output<typeof credentialSchema>>;

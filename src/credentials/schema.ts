import type { JSONParsed } from "hono/utils/types";
import * as z from "zod";
import { annotations } from "../http/openapi/describe.ts";
import { recordAnswer, uuidAnswer } from "../http/openapi/records.ts";
import { nameSchema, setMaximum } from "../http/schemas.ts";
import { credentialTypeSchema } from "./types.ts";

const ids = (description: string) =>
  z
    .array(uuidAnswer())
    .max(setMaximum)
    .register(annotations, { uniqueItems: true, description: `${description} Sorted.` });

const hostAssignmentSchema = z
  .object({ host_id: uuidAnswer(), ip_address_ids: ids("").nullable() })
  .register(annotations, {
    id: "HostAssignment",
    description:
      "A host that the credential is for: all of it where `ip_address_ids` is null, else only these addresses.",
  });

/** A credential as callers see it (API contract, section 3). */
export const credentialSchema = z
  .object({
    ...recordAnswer,
    name: nameSchema,
    organization_id: uuidAnswer(),
    tags: ids("Its tags."),
    assigned_network_ids: ids("The networks on which it is tried (broadcast scope)."),
    host_assignments: z.array(hostAssignmentSchema).max(setMaximum).register(annotations, {
      description: "The hosts it is for (per-host scope). Sorted by `host_id`.",
    }),
    credential_type: credentialTypeSchema,
  })
  .register(annotations, {
    id: "Credential",
    description: "Secrets and access settings for reaching hosts. Secrets never come back.",
  });

/** A credential as JSON, its secrets masked. */
export type Credential = JSONParsed<z.output<typeof credentialSchema>>;

/** Its ids are of the demo data, so that the reference's prefilled requests work in local development. */
export const credentialExample: Credential = {
  id: "b37a84e0-73da-4b13-874f-c9046ee9c8a9",
  created_at: "2025-03-05T17:00:00.000Z",
  updated_at: "2026-04-22T15:57:37.843Z",
  name: "Switches and printers",
  organization_id: "e4b66c48-02de-4481-8c6f-f8b16360c781",
  tags: ["aed75b45-9130-4bef-8d61-1c2d0a47133c"],
  assigned_network_ids: [
    "277af32d-eb94-4677-88b1-472a3ec07051",
    "a902d4d6-5310-41e1-8ca9-46709b4e7ebf",
  ],
  host_assignments: [
    {
      host_id: "5e868872-aae4-4cb7-8649-a431f8319502",
      ip_address_ids: ["764e1aa2-69fb-4b8f-8582-138a981d35b0"],
    },
  ],
  credential_type: { type: "SnmpV1", community: { mode: "Inline", value: "********" } },
};

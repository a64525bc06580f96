import * as z from "zod";
import { describeOperation } from "../openapi/describe.ts";
import { addressMaximum } from "./input.ts";
import { listCredentials } from "./list.ts";
import { type Credential, credentialSchema } from "./model.ts";
import { updateCredential } from "./update.ts";

/** Its ids are of the demo data, so that the reference's prefilled requests work in local development. */
const credentialExample: Credential = {
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

describeOperation(listCredentials, {
  operationId: "listCredentials",
  tag: "Credentials",
  summary: "List credentials",
  description:
    "Lists the credentials of your organization, secrets masked. A key that is limited to networks gets them all, without the ids of networks, hosts and addresses that it does not reach. They are ordered by `group_by` ascending, then by `order_by` in `order_direction`, then by `id`. Names sort by code point.",
  parameters: {
    type: {
      description: "Only credentials of this type; `Snmp` stands for the three types of SNMP.",
      example: "Snmp",
    },
    group_by: {
      description: "What to order by first, always ascending, so that groups stay together.",
      example: "type",
    },
    order_by: { description: "What to order by, within groups or alone.", example: "name" },
    order_direction: { description: "The direction of `order_by`.", example: "desc" },
  },
  data: z.array(credentialSchema),
  answer: "A page of credentials.",
  example: { data: [credentialExample] },
});

describeOperation(updateCredential, {
  operationId: "updateCredential",
  tag: "Credentials",
  summary: "Replace a credential",
  description: `Replaces the whole credential, all or nothing. To change one field, send what was read with that field changed: \`id\`, \`created_at\` and \`updated_at\` may be sent and are ignored, but an \`id\` other than the path's is an error. So is any other unknown field.

Secrets are write-only. Answers show \`********\` in their place, and sending \`********\` keeps the stored secret, if the type is unchanged and that field holds one.

\`tags\`, \`assigned_network_ids\` and \`host_assignments\` are sets of at most 1,000 members, and every id must exist in your organization. \`ip_address_ids\` null or left out means the whole host; an empty list is an error. All host assignments together hold at most ${addressMaximum.toLocaleString("en")} addresses.

A key that is limited to networks may update a credential only if everything that it is assigned to lies within them.`,
  parameters: { id: { description: "The credential's id.", example: credentialExample.id } },
  data: credentialSchema,
  answer: "The credential as it is now.",
  example: {
    body: {
      name: credentialExample.name,
      organization_id: credentialExample.organization_id,
      tags: credentialExample.tags,
      assigned_network_ids: credentialExample.assigned_network_ids,
      host_assignments: credentialExample.host_assignments,
      credential_type: {
        type: "SnmpV1",
        community: { mode: "Inline", value: "correct-horse-battery" },
      },
    },
    data: credentialExample,
  },
  errorExamples: {
    validation_failed: {
      issues: [
        {
          path: "body.host_assignments[0].ip_address_ids",
          message: "must not be empty: send null, or leave it out, for the whole host",
          code: "too_small",
        },
      ],
      issue_count: 1,
    },
    entity_not_found: { entity: "Credential", id: credentialExample.id },
  },
});

import * as z from "zod";
import { describeGroup, describeOperation } from "../openapi/describe.ts";
import { idParameter } from "../openapi/texts.ts";
import { describeVerbs, externalIdFilter, nameFilter, orderParameters } from "../openapi/verbs.ts";
import { addressMaximum } from "./input.ts";
import { type Credential, credentialResource, credentialSchema } from "./model.ts";
import { list, update } from "./routes.ts";

const tag = describeGroup({
  name: "Credentials",
  description: "Secrets and settings for access to hosts.",
});

/**
 * The ids are from the demo data, so that the reference's prefilled requests work in local
 * development.
 */
const credentialExample: Credential = {
  id: "b37a84e0-73da-4b13-874f-c9046ee9c8a9",
  created_at: "2025-03-05T17:00:00.000Z",
  updated_at: "2026-04-22T15:57:37.843Z",
  name: "Switches and printers",
  organization_id: "e4b66c48-02de-4481-8c6f-f8b16360c781",
  external_id: null,
  metadata: {},
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

/** The fields of the examples, except for the name. */
const sent = {
  organization_id: credentialExample.organization_id,
  tags: credentialExample.tags,
  assigned_network_ids: credentialExample.assigned_network_ids,
  host_assignments: credentialExample.host_assignments,
  credential_type: {
    type: "SnmpV1",
    community: { mode: "Inline", value: "correct-horse-battery" },
  },
};

describeOperation(list, {
  operationId: "get_all_credentials",
  tag,
  summary: "List credentials",
  description:
    "Lists the credentials of your organization, with masked secrets. A key limited to specific networks gets all of them, without the ids of networks, hosts and addresses that it cannot access. The order is `group_by` ascending, then `order_by` in `order_direction`, then `id`. Names sort by code point.",
  parameters: {
    type: {
      description: "Only credentials of this type; `Snmp` stands for all three SNMP types.",
      example: "Snmp",
    },
    ...nameFilter(credentialExample),
    ...externalIdFilter,
    ids: {
      description: "Only credentials with these ids, up to 350.",
      example: credentialExample.id,
    },
    q: {
      description: "Only credentials with this id, or with this text in their names.",
      example: "switch",
    },
    ...orderParameters("name", "type"),
  },
  data: z.array(credentialSchema),
  response: "A page of credentials.",
  example: { data: [credentialExample] },
});

describeOperation(update, {
  operationId: "update_credential",
  tag,
  summary: "Replace a credential",
  description: `Replaces the whole credential atomically. To change one field, read the credential and send it back with that field changed. The service ignores \`created_at\` and \`updated_at\`. An \`id\` must be the one in the path. Unknown fields are errors.

Secrets are never returned: responses show \`********\` instead. Sending \`********\` keeps the stored secret, if the type is unchanged and the field already has one.

\`tags\`, \`assigned_network_ids\` and \`host_assignments\` are sets of at most 1,000 ids or hosts, and every id must exist in your organization. If \`ip_address_ids\` is null or omitted, the assignment applies to the whole host; an empty list is an error. All host assignments together contain at most ${addressMaximum.toLocaleString("en")} addresses.

A key limited to specific networks can update a credential only if all of the credential's networks and hosts are within those networks, before and after the change.`,
  parameters: idParameter("Credential", "credential", credentialExample.id),
  data: credentialSchema,
  response: "The credential as it is now.",
  responseComponent: "UpdatedCredential",
  example: {
    body: { name: credentialExample.name, ...sent },
    data: credentialExample,
  },
  errorExamples: {
    validation_failed: {
      issues: [
        {
          path: "body.host_assignments[0].ip_address_ids",
          message: "must not be empty: for the whole host, send null or omit it",
          code: "too_small",
        },
      ],
      issue_count: 1,
    },
    entity_not_found: { entity: "Credential", id: credentialExample.id },
  },
});

describeVerbs(credentialResource, {
  tag,
  singular: "credential",
  plural: "credentials",
  schema: credentialSchema,
  example: credentialExample,
  body: { name: "Office switches", ...sent },
  rules:
    "A new credential requires every secret: the mask `********` stands only for a stored secret. Responses contain the mask instead of secrets.",
  deletion:
    "Its secrets and assignments are also deleted. A key limited to specific networks can delete only a credential whose networks and hosts are all within those networks (403 `auth_scope_denied`).",
});

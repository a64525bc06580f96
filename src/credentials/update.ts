import { keyRingOf } from "../database/sealing.ts";
import { abortOnFirst } from "../database/tenant.ts";
import { authenticate } from "../http/bearer.ts";
import { success } from "../http/envelope.ts";
import { ApiError } from "../http/errors.ts";
import { factory } from "../http/factory.ts";
import { describeOperation, mayFail } from "../http/openapi/describe.ts";
import { recordPath } from "../http/schemas.ts";
import { validate } from "../http/validate.ts";
import { credentialsByIds } from "./page.ts";
import { lockCredential, replaceCredential } from "./replace.ts";
import { credentialExample, credentialSchema } from "./schema.ts";
import { sealSecrets } from "./seal-secrets.ts";
import { foreignReferences, notFound, secretsNotKept } from "./verdicts.ts";
import { credentialUpdateSchema, credentialWire } from "./wire.ts";

/** PUT /api/v1/credentials/{id}: replaces a credential as a whole (API contract, section 3). */
export const updateCredential = factory.createHandlers(
  authenticate("Admin"),
  validate({ param: recordPath, json: credentialUpdateSchema }),
  mayFail("entity_not_found", "entity_reference_invalid"),
  async (c) => {
    const { id } = c.req.valid("param");
    const update = c.req.valid("json");
    const secrets = await sealSecrets(keyRingOf(c.var.settings), id, update.credential_type);
    const [[credential]] = await c.var.tenant.ask(() => [credentialsByIds([id])], {
      after: (database) => [
        lockCredential(database, id),
        abortOnFirst(database, [
          notFound(id),
          secretsNotKept(id, update.credential_type.type, secrets.kept),
          ...foreignReferences(update),
        ]),
        ...replaceCredential(database, id, update, secrets),
      ],
    });
    if (!credential) {
      throw new ApiError("entity_not_found", { entity: "Credential", id });
    }
    return success(c, credentialWire(credential));
  },
);

/* @__PURE__ */ describeOperation(updateCredential, () => ({
  operationId: "updateCredential",
  tag: "Credentials",
  summary: "Replace a credential",
  description: `Replaces the whole credential, all or nothing. To change one field, send what was read with that field changed: \`id\`, \`created_at\` and \`updated_at\` may be sent and are ignored, but an \`id\` other than the path's is an error. So is any other unknown field.

Secrets are write-only. Answers show \`********\` in their place, and sending \`********\` keeps the stored secret, if the type is unchanged and that field holds one.

\`tags\`, \`assigned_network_ids\` and \`host_assignments\` are sets of at most 1,000 members, and every id must exist in your organization. \`ip_address_ids\` null or left out means the whole host; an empty list is an error.`,
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
}));

import { eq } from "drizzle-orm";
import * as z from "zod";
import { organizations } from "../database/schema/index.ts";
import { authenticate } from "../http/bearer.ts";
import { success } from "../http/envelope.ts";
import { ApiError } from "../http/errors.ts";
import { factory } from "../http/factory.ts";
import { annotate, describeOperation, mayFail } from "../http/openapi/describe.ts";
import { nameSchema, recordPath } from "../http/schemas.ts";
import { validate } from "../http/validate.ts";
import { organizationExample, organizationSchema } from "./schema.ts";
import { organizationWire } from "./wire.ts";

const form = 'the body is the new name as one JSON string, such as "Acme"';

/** A body that is no object surprises, so whatever is wrong with it, the issue shows the form. */
const body = z
  .string({ error: form })
  .trim()
  .check(({ value, issues }) => {
    for (const issue of nameSchema.safeParse(value).error?.issues ?? []) {
      issues.push({ ...issue, input: undefined, message: `${issue.message}: ${form}` });
    }
  });
/* @__PURE__ */ annotate(body, { minLength: 1, maxLength: 100 });

/** PUT /api/v1/organizations/{id}: renames the organization (API contract, section 5). */
export const renameOrganization = factory.createHandlers(
  authenticate("Owner"),
  validate({ param: recordPath, json: body }),
  mayFail("entity_not_found"),
  async (c) => {
    const { id } = c.req.valid("param");
    const name = c.req.valid("json");
    const [[organization]] = await c.var.tenant.ask((database) => [
      database.update(organizations).set({ name }).where(eq(organizations.id, id)).returning(),
    ]);
    if (!organization) {
      throw new ApiError("entity_not_found", { entity: "Organization", id });
    }
    return success(c, organizationWire(organization));
  },
);

/* @__PURE__ */ describeOperation(renameOrganization, () => ({
  operationId: "renameOrganization",
  tag: "Organizations",
  summary: "Rename an organization",
  description:
    'The body is the new name as one JSON string, such as `"Acme"`: 1 to 100 characters after trimming. Nothing but `name` and `updated_at` changes. Only the organization of your key exists for you.',
  parameters: { id: { description: "The organization's id.", example: organizationExample.id } },
  data: organizationSchema,
  answer: "The organization with its new name.",
  example: { body: "Harbour Street Homelab", data: organizationExample },
  errorExamples: {
    validation_failed: {
      issues: [
        {
          path: "body",
          message:
            'must have at least 1 character: the body is the new name as one JSON string, such as "Acme"',
          code: "too_small",
        },
      ],
      issue_count: 1,
    },
    entity_not_found: { entity: "Organization", id: organizationExample.id },
  },
}));

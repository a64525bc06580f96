import { eq } from "drizzle-orm";
import * as z from "zod";
import { organizations } from "../database/schema/index.ts";
import { aboveNetworks } from "../http/above-networks.ts";
import { authenticate } from "../http/bearer.ts";
import { success } from "../http/envelope.ts";
import { ApiError } from "../http/errors.ts";
import { factory } from "../http/factory.ts";
import { annotate, describeOperation, mayFail } from "../http/openapi/describe.ts";
import { nameSchema, recordPath } from "../http/schemas.ts";
import { validate } from "../http/validate.ts";
import { organizationExample, organizationSchema } from "./schema.ts";
import { organizationWire } from "./wire.ts";

const form =
  'send the new name as one JSON string, such as "Acme", or as {"name": "Acme"}, and nothing else';

const text = z.string();
/* @__PURE__ */ annotate(text, { minLength: 1, maxLength: 100 });
const object = z.strictObject({ name: text });
/* @__PURE__ */ annotate(object, {
  id: "OrganizationName",
  description: "The new name, for tools that cannot send a bare JSON string.",
});

/**
 * The new name (API contract, section 5): a bare string, or an object of it for the tools that
 * cannot send one. Either is unusual, so every issue shows both forms.
 */
const body = z
  .xor([text, object], { error: form })
  .check(({ value, issues }) => {
    const [name, path] = typeof value === "string" ? [value, []] : [value.name, ["name"]];
    for (const issue of nameSchema.safeParse(name).error?.issues ?? []) {
      issues.push({ ...issue, path, input: undefined, message: `${issue.message}: ${form}` });
    }
  })
  .transform((value) => (typeof value === "string" ? value : value.name).trim());
/* @__PURE__ */ annotate(body, { id: "OrganizationRename", description: "The new name." });

/** PUT /api/v1/organizations/{id}: renames the organization (API contract, section 5). */
export const renameOrganization = factory.createHandlers(
  authenticate("Owner"),
  aboveNetworks(),
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
    'Renames the organization of your key; no other exists for you. The body is the new name, 1 to 100 characters after trimming: one JSON string, such as `"Acme"`, or an object for tools that cannot send a bare string, such as `{"name": "Acme"}`. Nothing but `name` and `updated_at` changes. The key must reach every network of the organization.',
  parameters: { id: { description: "The organization's id.", example: organizationExample.id } },
  data: organizationSchema,
  answer: "The organization with its new name.",
  example: { body: { name: organizationExample.name }, data: organizationExample },
  errorExamples: {
    validation_failed: {
      issues: [
        {
          path: "body",
          message: `must have at least 1 character: ${form}`,
          code: "too_small",
        },
      ],
      issue_count: 1,
    },
    entity_not_found: { entity: "Organization", id: organizationExample.id },
  },
}));

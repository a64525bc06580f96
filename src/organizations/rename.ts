import { eq } from "drizzle-orm";
import * as z from "zod";
import { organizations } from "../database/tables/index.ts";
import { ApiError } from "../errors.ts";
import { aboveNetworks } from "../http/above-networks.ts";
import { authenticate } from "../http/authenticate.ts";
import { mayFail } from "../http/declares.ts";
import { ok } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { recordPath } from "../http/input/id.ts";
import { name } from "../http/input/text.ts";
import { validate } from "../http/validate.ts";
import { organizationWire } from "./wire.ts";

/** What a body must look like. */
export const form =
  'send the new name as one JSON string, such as "Acme", or as {"name": "Acme"}, and nothing else';

const text = z.string().meta({ minLength: 1, maxLength: 100 });
const object = z.strictObject({ name: text }).meta({
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
    const [sent, path] = typeof value === "string" ? [value, []] : [value.name, ["name"]];
    for (const issue of name.safeParse(sent).error?.issues ?? []) {
      issues.push({ ...issue, path, input: undefined, message: `${issue.message}: ${form}` });
    }
  })
  .transform((value) => (typeof value === "string" ? value : value.name).trim())
  .meta({ id: "OrganizationRename", description: "The new name." });

/** PUT /api/v1/organizations/{id}: renames the organization (API contract, section 5). */
export const renameOrganization = factory.createHandlers(
  authenticate("Owner"),
  aboveNetworks(),
  validate({ param: recordPath, json: body }),
  mayFail("entity_not_found"),
  async (c) => {
    const { id } = c.req.valid("param");
    const name = c.req.valid("json");
    const [[organization]] = await c.var.tenant.run((database) => [
      database.update(organizations).set({ name }).where(eq(organizations.id, id)).returning(),
    ]);
    if (!organization) {
      throw new ApiError("entity_not_found", { entity: "Organization", id });
    }
    return ok(c, organizationWire(organization));
  },
);

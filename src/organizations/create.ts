import { sql } from "drizzle-orm";
import * as z from "zod";
import { hashApiKey, hintOf, mintApiKey } from "../api-key.ts";
import { ApiError } from "../errors/errors.ts";
import { authenticateOperator } from "../http/authenticate-operator.ts";
import { maxSmallBytes, usualBounds } from "../http/body/large-bodies.ts";
import { handles } from "../http/declares.ts";
import { created } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { found } from "../http/found.ts";
import { id, ownId } from "../http/input/id.ts";
import { name } from "../http/input/text.ts";
import { validate } from "../http/validation/validate.ts";
import { uuidV7 } from "../uuid.ts";
import { planSchema } from "./model.ts";
import {
  entity,
  type ManagedRow,
  managedOrganization,
  managedOrganizationSchema,
  toManaged,
} from "./operator-model.ts";

/** The request body for an organization (API contract, section 15). */
export const organizationInput = z
  .strictObject({
    id: ownId,
    name,
    plan: planSchema.strict().nullable().default(null),
    key_name: name
      .default("Owner")
      .meta({ description: "The name of the organization's first key." }),
  })
  .meta({ id: "OrganizationInput", description: "An organization. Unknown fields are errors." });

/** An organization with its first key, whose plaintext is returned only once. */
export const createdOrganizationSchema = z
  .object({
    organization: managedOrganizationSchema,
    key: z.string().max(44).meta({
      description:
        "The plaintext of the first key, an Owner key for every network. It is returned only once.",
    }),
    api_key: z
      .object({
        id,
        name,
        permissions: z.literal("Owner"),
        key_hint: z.string().length(4),
      })
      .meta({ id: "FirstApiKey", description: "The first key, without the key itself." }),
  })
  .meta({ id: "CreatedOrganization", description: "An organization and its first key." });

/**
 * POST /api/v1/organizations: creates an organization with its first Owner key, for operators. A
 * request can be repeated safely if it contains an `id`.
 */
export const createOrganization = factory.createHandlers(
  authenticateOperator(),
  validate({ json: organizationInput }, { bounds: { ...usualBounds, bytes: maxSmallBytes } }),
  handles({ errors: ["entity_already_exists"], responses: { 201: ["Location"] } }),
  async (c) => {
    const { id = uuidV7(), name, plan, key_name } = c.req.valid("json");
    const key = mintApiKey();
    const key_hint = hintOf(key);
    const keyId = uuidV7();
    const hash = await hashApiKey(key);
    const taken = (cause?: unknown) =>
      new ApiError("entity_already_exists", { entity, field: "body.id", id }, { cause });
    const [, { rows }] = await c.var.operator.run(
      (database) => [
        database.execute(sql`
          select app.create_organization(${id}, ${name}, ${plan === null ? null : JSON.stringify(plan)}::jsonb,
            ${keyId}, ${key_name}, decode(${hash}, 'hex'), ${key_hint})`),
        database.execute<ManagedRow>(managedOrganization(id)),
      ],
      { organizations_pkey: taken },
    );
    c.header("Location", `/api/v1/organizations/${id}`);
    return created(c, {
      organization: toManaged(found(rows, entity, id)),
      key,
      api_key: { id: keyId, name: key_name, permissions: "Owner" as const, key_hint },
    });
  },
);

import { reads } from "../http/verbs/read.ts";
import { updates } from "../http/verbs/update.ts";
import { renameSchema } from "./input.ts";
import { organizationResource } from "./model.ts";

/**
 * GET /api/v1/organizations/{id}: returns the key's organization; no other organization is visible.
 */
export const read = reads(organizationResource);

/**
 * PUT /api/v1/organizations/{id}: renames the organization (API contract, section 5).
 * PATCH /api/v1/organizations/{id}: changes the fields that are sent.
 */
export const [update, patch] = updates(organizationResource, {
  role: "Owner",
  scope: "organization",
  body: renameSchema,
  patched: ({ name }) => ({ name }),
  errors: [],
  update: (_, _id, { name }) => ({
    guards: [],
    set: { name },
  }),
});

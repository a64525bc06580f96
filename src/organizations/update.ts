import { eq } from "drizzle-orm";
import { organizations } from "../database/tables/index.ts";
import { update } from "../http/verbs/update.ts";
import { renameSchema } from "./input.ts";
import { organizationResource } from "./model.ts";

/** PUT /api/v1/organizations/{id}: renames the organization (API contract, section 5). */
export const renameOrganization = update(organizationResource, {
  role: "Owner",
  scope: "organization",
  body: renameSchema,
  errors: [],
  update: (_, id, { name }) => ({
    guards: [],
    write: (database) => [
      database.update(organizations).set({ name }).where(eq(organizations.id, id)),
    ],
  }),
});

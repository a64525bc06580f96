import { eq } from "drizzle-orm";
import { organizations } from "../database/tables/index.ts";
import { aboveNetworks } from "../http/above-networks.ts";
import { authenticate } from "../http/authenticate.ts";
import { mayFail } from "../http/declares.ts";
import { ok } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { found } from "../http/found.ts";
import { recordPath } from "../http/input/id.ts";
import { validate } from "../http/validate.ts";
import { renameSchema } from "./input.ts";
import { organizationColumns, toOrganization } from "./model.ts";

/** PUT /api/v1/organizations/{id}: renames the organization (API contract, section 5). */
export const renameOrganization = factory.createHandlers(
  authenticate("Owner"),
  aboveNetworks(),
  validate({ param: recordPath, json: renameSchema }),
  mayFail("entity_not_found"),
  async (c) => {
    const { id } = c.req.valid("param");
    const name = c.req.valid("json");
    const [rows] = await c.var.tenant.run((database) => [
      database
        .update(organizations)
        .set({ name })
        .where(eq(organizations.id, id))
        .returning(organizationColumns),
    ]);
    return ok(c, toOrganization(found(rows, "Organization", id)));
  },
);

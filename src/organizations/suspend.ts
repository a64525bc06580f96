import { type SQL, sql } from "drizzle-orm";
import { authenticateOperator } from "../http/authenticate-operator.ts";
import { handles } from "../http/declares.ts";
import { ok } from "../http/envelope.ts";
import { factory } from "../http/factory.ts";
import { found } from "../http/found.ts";
import { recordPath } from "../http/input/id.ts";
import { validate } from "../http/validation/validate.ts";
import { entity, type ManagedRow, managedOrganization, toManaged } from "./operator-model.ts";

/** The handlers that change the state of an organization with a function, and return it. */
const changesState = (change: (id: string) => SQL) =>
  factory.createHandlers(
    authenticateOperator(),
    validate({ param: recordPath }),
    handles({ errors: ["entity_not_found"] }),
    async (c) => {
      const { id } = c.req.valid("param");
      const [, { rows }] = await c.var.operator.run((database) => [
        database.execute(change(id)),
        database.execute<ManagedRow>(managedOrganization(id)),
      ]);
      return ok(c, toManaged(found(rows, entity, id)));
    },
  );

/** POST /api/v1/organizations/{id}/suspend: suspends an organization (API contract, section 15). */
export const suspend = changesState((id) => sql`select app.suspend_organization(${id})`);

/**
 * DELETE /api/v1/organizations/{id}: suspends an organization and deletes it for good after 30 days
 * (the job `organization_sweep`).
 */
export const remove = changesState((id) => sql`select app.delete_organization(${id})`);

/** POST /api/v1/organizations/{id}/resume: ends the suspension, or the grace of a deletion. */
export const resume = changesState((id) => sql`select app.resume_organization(${id})`);

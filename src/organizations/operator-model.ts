import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { name } from "../http/input/text.ts";
import { recordFields } from "../http/verbs/record.ts";
import { planSchema } from "./model.ts";

/** An organization as operators see it: no records, counts or settings (API contract, section 15). */
export const managedOrganizationSchema = z
  .object({
    ...recordFields,
    name,
    plan: planSchema.nullable(),
  })
  .meta({ id: "ManagedOrganization", description: "An organization, as operators see it." });
export type ManagedOrganization = z.output<typeof managedOrganizationSchema>;

/** A row of `app.all_organizations`. */
export type ManagedRow = ManagedOrganization & Record<string, unknown>;

/** A page of the list of all organizations: those after a position, and then after an offset. */
interface Page {
  after: { created_at: string; id: string } | null;
  offset: number;
  limit: number;
}

/** Selects a page of all organizations, in creation order, with the rights of an operator. */
export const managedPage = ({ after, offset, limit }: Page): SQL => sql`
  select * from app.all_organizations(null, ${after?.created_at ?? null}::timestamptz,
    ${after?.id ?? null}::uuid, ${offset}, ${limit})`;

/** Selects one organization, with the rights of an operator. */
export const managedOrganization = (id: string): SQL => sql`
  select * from app.all_organizations(${id}, null, null, 0, 1)`;

/** The type of the records of operators in errors and cursors. */
export const entity = "Organization";

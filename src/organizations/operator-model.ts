import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { name } from "../http/input/text.ts";
import { timestamp } from "../http/input/timestamp.ts";
import { recordFields } from "../http/verbs/record.ts";
import { planSchema } from "./model.ts";

/** The states of an organization. A deleted one can be resumed until `deletes_at`. */
export const organizationStates = ["active", "suspended", "deleted"] as const;

/** An organization as operators see it: no records, counts or settings (API contract, section 15). */
export const managedOrganizationSchema = z
  .object({
    ...recordFields,
    name,
    plan: planSchema.nullable(),
    state: z.enum(organizationStates),
    suspended_at: timestamp.nullable(),
    deletes_at: timestamp.nullable().meta({
      description: "The time from which it is deleted for good; null unless it is deleted.",
    }),
  })
  .meta({ id: "ManagedOrganization", description: "An organization, as operators see it." });
export type ManagedOrganization = z.output<typeof managedOrganizationSchema>;

/** A row of `app.all_organizations`. */
export type ManagedRow = ManagedOrganization & Record<string, unknown>;

/** Converts a row to the response format, whose type has no other fields. */
export const toManaged = (row: ManagedRow): ManagedOrganization => ({
  id: row.id,
  created_at: row.created_at,
  updated_at: row.updated_at,
  name: row.name,
  plan: row.plan,
  state: row.state,
  suspended_at: row.suspended_at,
  deletes_at: row.deletes_at,
});

/** A page of the list of all organizations: those after a position, and then after an offset. */
interface Page {
  state: (typeof organizationStates)[number] | undefined;
  after: { created_at: string; id: string } | null;
  offset: number;
  limit: number;
}

/** Selects a page of all organizations, in creation order, with the rights of an operator. */
export const managedPage = ({ state, after, offset, limit }: Page): SQL => sql`
  select * from app.all_organizations(null, ${state ?? null}, ${after?.created_at ?? null}::timestamptz,
    ${after?.id ?? null}::uuid, ${offset}, ${limit})`;

/** Selects one organization, with the rights of an operator. */
export const managedOrganization = (id: string): SQL => sql`
  select * from app.all_organizations(${id}, null, null, null, 0, 1)`;

/** The type of the records of operators in errors and cursors. */
export const entity = "Organization";

import * as z from "zod";
import { columnsOf, type RowOf } from "../database/columns-of.ts";
import {
  onboardingMilestones,
  organizations,
  type Plan,
  planRates,
  planStatuses,
  planTypes,
  useCases,
} from "../database/tables/index.ts";
import { integer } from "../http/input/integer.ts";
import { name } from "../http/input/text.ts";
import { timestamp } from "../http/input/timestamp.ts";
import { recordFields } from "../http/verbs/record.ts";

const cents = integer().nullable().meta({ description: "In cents; null if not for sale." });
const included = integer().nullable().meta({ description: "Null if unlimited." });

export const planSchema = z
  .object({
    type: z.enum(planTypes),
    base_cents: cents,
    rate: z.enum(planRates),
    trial_days: integer(),
    seat_cents: cents,
    network_cents: cents,
    host_cents: cents,
    included_seats: included,
    included_networks: included,
    included_hosts: included,
  })
  .meta({ id: "Plan", description: "A plan and its prices." }) satisfies z.ZodType<Plan>;

const planStatusSchema = z
  .object({ status: z.enum(planStatuses) })
  .meta({ id: "PlanStatus", description: "The state of the subscription." });

/** An organization (API contract, section 5). */
export const organizationSchema = z
  .object({
    ...recordFields,
    name: name,
    onboarding: z.array(z.enum(onboardingMilestones)).max(onboardingMilestones.length).meta({
      description: "The milestones reached, in order.",
    }),
    plan: planSchema.nullable(),
    plan_status: planStatusSchema.nullable(),
    discount_save_offer_active_until: timestamp.nullable(),
    discount_save_offer_percent_off: z.int().min(0).max(100).nullable(),
    has_payment_method: z.boolean(),
    last_discount_at: timestamp.nullable(),
    last_downgrade_at: timestamp.nullable(),
    last_downgrade_from_plan: planSchema.nullable(),
    last_paused_at: timestamp.nullable(),
    next_renewal_at: timestamp.nullable(),
    trial_end_date: timestamp.nullable(),
    trial_extended_used: z.boolean(),
    use_case: z.enum(useCases),
    history_days: integer(1, 3650).nullable().meta({
      description: "The minimum number of days for which history is kept; null for unlimited.",
    }),
    history_from: timestamp.nullable().meta({
      description:
        "The instant from which history is complete; null if nothing has been deleted. It never moves back.",
    }),
  })
  .meta({
    id: "Organization",
    description: "The tenant. Every field is always present, and null if unset.",
  });
type Organization = z.output<typeof organizationSchema>;

const organizationColumns = {
  ...columnsOf(organizations, organizationSchema.omit({ plan_status: true })),
  plan_status: organizations.plan_status,
};

/**
 * Converts a row to the response format (API contract, section 5): every key is present, with null
 * if unset.
 */
const toOrganization = ({
  plan_status,
  ...organization
}: RowOf<typeof organizationColumns>): Organization => ({
  ...organization,
  plan_status: plan_status && { status: plan_status },
});

/** The organizations. Callers see only their own. */
export const organizationResource = {
  entity: "Organization" as const,
  schema: organizationSchema,
  path: "/api/v1/organizations",
  table: organizations,
  columns: organizationColumns,
  bytes: 4000,
  orderFields: {},
  toItem: toOrganization,
};

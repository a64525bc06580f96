import { sql } from "drizzle-orm";
import { boolean, check, integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { oneOf, someOf } from "./checks.ts";
import { id, sortableText, times, timestamp } from "./columns.ts";

/** Current and former plans (API contract, section 5). */
export const planTypes = [
  "Community",
  "Free",
  "Starter",
  "Pro",
  "Team",
  "Business",
  "Enterprise",
  "Demo",
  "CommercialSelfHosted",
] as const;

export const planRates = ["Month", "Year"] as const;

export const planStatuses = [
  "active",
  "trialing",
  "past_due",
  "paused",
  "pending_cancellation",
  "cancelled",
] as const;

/**
 * Onboarding milestones (API contract, section 5). An organization lists them in the order in which
 * it reached them.
 */
export const onboardingMilestones = [
  "OrgCreated",
  "OnboardingModalCompleted",
  "PlanSelected",
  "FirstDaemonRegistered",
  "FirstTopologyRebuild",
  "FirstDiscoveryCompleted",
  "FirstHostDiscovered",
  "SecondNetworkCreated",
  "FirstTagCreated",
  "FirstDependencyCreated",
  "FirstUserApiKeyCreated",
  "FirstSnmpCredentialCreated",
  "FirstCredentialCreated",
  "FirstSnapshotCreated",
  "InviteSent",
  "InviteAccepted",
  "ProfileCompleted",
  "ReferralSourceCompleted",
] as const;

export const useCases = ["homelab", "internal_it", "msp", "other"] as const;

/** The prices of a plan in cents; null if the item is not for sale. */
type PlanPrice = "base_cents" | "seat_cents" | "network_cents" | "host_cents";

/** The quantities that a plan includes; null if unlimited. */
type PlanAllowance = "included_seats" | "included_networks" | "included_hosts";

/** A plan with its prices and included quantities (API contract, section 5). */
export type Plan = {
  type: (typeof planTypes)[number];
  rate: (typeof planRates)[number];
  trial_days: number;
} & Record<PlanPrice | PlanAllowance, number | null>;

/** The tenants. All other records belong to one of them. */
export const organizations = pgTable(
  "organizations",
  {
    id: id().primaryKey(),
    ...times(),
    name: sortableText().notNull(),
    onboarding: text({ enum: onboardingMilestones }).array().notNull().default([]),
    plan: jsonb().$type<Plan>(),
    plan_status: text({ enum: planStatuses }),
    discount_save_offer_active_until: timestamp(),
    discount_save_offer_percent_off: integer(),
    has_payment_method: boolean().notNull().default(false),
    last_discount_at: timestamp(),
    last_downgrade_at: timestamp(),
    last_downgrade_from_plan: jsonb().$type<Plan>(),
    last_paused_at: timestamp(),
    next_renewal_at: timestamp(),
    trial_end_date: timestamp(),
    trial_extended_used: boolean().notNull().default(false),
    use_case: text({ enum: useCases }).notNull().default("other"),
    /** The number of days for which history is kept; null for no limit. */
    history_days: integer(),
    /**
     * The instant from which history is complete; null if no history has been deleted. It never
     * moves back in time.
     */
    history_from: timestamp(),
    /** The time at which an operator suspended the organization; null if it is active. */
    suspended_at: timestamp(),
    /** The time from which the organization is deleted for good; null if it is not deleted. */
    deletes_at: timestamp(),
  },
  (table) => [
    check("organizations_name_check", sql`char_length(${table.name}) between 1 and 100`),
    check("organizations_onboarding_check", someOf(table.onboarding, onboardingMilestones)),
    check("organizations_onboarding_once", sql`app.is_set(${table.onboarding})`),
    // This function is defined in a migration. If both checks were written inline, they would
    // account for a sixth of the duration of every update.
    check("organizations_plan_check", sql`app.is_plan(${table.plan})`),
    check("organizations_downgrade_check", sql`app.is_plan(${table.last_downgrade_from_plan})`),
    check("organizations_plan_status_check", oneOf(table.plan_status, planStatuses)),
    check("organizations_use_case_check", oneOf(table.use_case, useCases)),
    check(
      "organizations_percent_check",
      sql`${table.discount_save_offer_percent_off} between 0 and 100`,
    ),
    check(
      "organizations_deletes_check",
      sql`${table.deletes_at} is null or ${table.suspended_at} is not null`,
    ),
    check("organizations_history_days_check", sql`${table.history_days} between 1 and 3650`),
  ],
);

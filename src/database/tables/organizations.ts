import { sql } from "drizzle-orm";
import { boolean, check, integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { oneOf, someOf } from "./checks.ts";
import { id, sortableText, times, timestamp } from "./columns.ts";

/** Plans that can be bought or were (API contract, section 5). */
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

/** Milestones of onboarding (API contract, section 5); an organization has them in the order reached. */
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

/** Prices of a plan in cents; `null`: not for sale. */
type PlanPrice = "base_cents" | "seat_cents" | "network_cents" | "host_cents";

/** What a plan includes; `null`: unlimited. */
type PlanAllowance = "included_seats" | "included_networks" | "included_hosts";

/** A plan with its prices and what it includes (API contract, section 5). */
export type Plan = {
  type: (typeof planTypes)[number];
  rate: (typeof planRates)[number];
  trial_days: number;
} & Record<PlanPrice | PlanAllowance, number | null>;

/** The tenants. Everything else belongs to one of them. */
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
    /** For how many days history is kept; null for ever. */
    history_days: integer(),
    /** From which instant on it is whole; null where nothing was deleted. It never moves back. */
    history_from: timestamp(),
  },
  (table) => [
    check("organizations_name_check", sql`char_length(${table.name}) between 1 and 100`),
    check("organizations_onboarding_check", someOf(table.onboarding, onboardingMilestones)),
    check("organizations_onboarding_once", sql`app.is_set(${table.onboarding})`),
    // A function of a migration: spelt out, both would be a sixth of every update, whatever it changes.
    check("organizations_plan_check", sql`app.is_plan(${table.plan})`),
    check("organizations_downgrade_check", sql`app.is_plan(${table.last_downgrade_from_plan})`),
    check("organizations_plan_status_check", oneOf(table.plan_status, planStatuses)),
    check("organizations_use_case_check", oneOf(table.use_case, useCases)),
    check(
      "organizations_percent_check",
      sql`${table.discount_save_offer_percent_off} between 0 and 100`,
    ),
    check("organizations_history_days_check", sql`${table.history_days} between 1 and 3650`),
  ],
);

import { sql } from "drizzle-orm";
import { boolean, check, integer, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import { oneOf, someOf } from "./checks.ts";
import { id, instant, sortableText, times } from "./columns.ts";

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

/** A plan: prices in cents (`null`: not for sale), included amounts (`null`: unlimited). */
export interface Plan {
  type: (typeof planTypes)[number];
  base_cents: number | null;
  rate: (typeof planRates)[number];
  trial_days: number;
  seat_cents: number | null;
  network_cents: number | null;
  host_cents: number | null;
  included_seats: number | null;
  included_networks: number | null;
  included_hosts: number | null;
}

/** The tenants. Everything else belongs to one of them. */
export const organizations = pgTable(
  "organizations",
  {
    id: id(),
    ...times(),
    name: sortableText().notNull(),
    onboarding: text({ enum: onboardingMilestones }).array().notNull().default([]),
    plan: jsonb().$type<Plan>(),
    plan_status: text({ enum: planStatuses }),
    discount_save_offer_active_until: instant(),
    discount_save_offer_percent_off: integer(),
    has_payment_method: boolean().notNull().default(false),
    last_discount_at: instant(),
    last_downgrade_at: instant(),
    last_downgrade_from_plan: jsonb().$type<Plan>(),
    last_paused_at: instant(),
    next_renewal_at: instant(),
    trial_end_date: instant(),
    trial_extended_used: boolean().notNull().default(false),
    use_case: text({ enum: useCases }).notNull().default("other"),
  },
  (table) => [
    check("organizations_name_check", sql`char_length(${table.name}) between 1 and 100`),
    check("organizations_onboarding_check", someOf(table.onboarding, onboardingMilestones)),
    check("organizations_onboarding_once", sql`app.is_set(${table.onboarding})`),
    check("organizations_plan_check", sql`app.is_plan(${table.plan})`),
    check("organizations_downgrade_check", sql`app.is_plan(${table.last_downgrade_from_plan})`),
    check("organizations_plan_status_check", oneOf(table.plan_status, planStatuses)),
    check("organizations_use_case_check", oneOf(table.use_case, useCases)),
    check(
      "organizations_percent_check",
      sql`${table.discount_save_offer_percent_off} between 0 and 100`,
    ),
  ],
);

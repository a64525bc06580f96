import * as z from "zod";
import {
  onboardingMilestones,
  planRates,
  planStatuses,
  planTypes,
  useCases,
} from "../database/schema/index.ts";
import { annotations } from "../http/openapi/describe.ts";
import { countAnswer, instantAnswer, recordAnswer } from "../http/openapi/records.ts";
import { nameSchema } from "../http/schemas.ts";

const cents = countAnswer()
  .nullable()
  .register(annotations, { description: "In cents; null: not for sale." });
const included = countAnswer()
  .nullable()
  .register(annotations, { description: "null: unlimited." });

const planSchema = z
  .object({
    type: z.enum(planTypes),
    base_cents: cents,
    rate: z.enum(planRates),
    trial_days: countAnswer(),
    seat_cents: cents,
    network_cents: cents,
    host_cents: cents,
    included_seats: included,
    included_networks: included,
    included_hosts: included,
  })
  .register(annotations, { id: "Plan", description: "A plan and its prices." });

const planStatusSchema = z
  .object({ status: z.enum(planStatuses) })
  .register(annotations, { id: "PlanStatus", description: "Where the subscription stands." });

/** An organization as callers see it (API contract, section 5). */
export const organizationSchema = z
  .object({
    ...recordAnswer,
    name: nameSchema,
    onboarding: z
      .array(z.enum(onboardingMilestones))
      .max(onboardingMilestones.length)
      .register(annotations, {
        uniqueItems: true,
        description: "The milestones reached, in the order in which they were.",
      }),
    plan: planSchema.nullable(),
    plan_status: planStatusSchema.nullable(),
    discount_save_offer_active_until: instantAnswer().nullable(),
    discount_save_offer_percent_off: z.int().min(0).max(100).nullable(),
    has_payment_method: z.boolean(),
    last_discount_at: instantAnswer().nullable(),
    last_downgrade_at: instantAnswer().nullable(),
    last_downgrade_from_plan: planSchema.nullable(),
    last_paused_at: instantAnswer().nullable(),
    next_renewal_at: instantAnswer().nullable(),
    trial_end_date: instantAnswer().nullable(),
    trial_extended_used: z.boolean(),
    use_case: z.enum(useCases),
  })
  .register(annotations, {
    id: "Organization",
    description: "The tenant. Every field is always there, null where it is unset.",
  });

export const organizationExample: z.output<typeof organizationSchema> = {
  id: "e4b66c48-02de-4481-8c6f-f8b16360c781",
  created_at: "2026-01-12T09:30:00.000Z",
  updated_at: "2026-04-22T15:57:37.843Z",
  name: "Harbour Street Homelab",
  onboarding: ["OrgCreated", "FirstDaemonRegistered", "FirstDiscoveryCompleted"],
  plan: {
    type: "Starter",
    base_cents: 1499,
    rate: "Month",
    trial_days: 14,
    seat_cents: 500,
    network_cents: 300,
    host_cents: null,
    included_seats: 1,
    included_networks: 3,
    included_hosts: null,
  },
  plan_status: { status: "active" },
  discount_save_offer_active_until: null,
  discount_save_offer_percent_off: null,
  has_payment_method: true,
  last_discount_at: null,
  last_downgrade_at: null,
  last_downgrade_from_plan: null,
  last_paused_at: null,
  next_renewal_at: "2026-05-12T09:30:00.000Z",
  trial_end_date: "2026-01-26T09:30:00.000Z",
  trial_extended_used: false,
  use_case: "homelab",
};

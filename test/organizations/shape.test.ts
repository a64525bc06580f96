import { expect, test } from "vitest";
import {
  onboardingMilestones,
  type Plan,
  planRates,
  planStatuses,
  planTypes,
  useCases,
} from "../../src/database/tables/index.ts";
import { seen, succeeded } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { mintOrganization } from "../helpers/organization.ts";

type Values = Parameters<typeof mintOrganization>[0];

const instant = "2026-04-22T15:57:37.800Z";

const plan: Plan = {
  type: "Pro",
  base_cents: 4900,
  rate: "Month",
  trial_days: 14,
  seat_cents: 900,
  network_cents: null,
  host_cents: 5,
  included_seats: 3,
  included_networks: 10,
  included_hosts: null,
};

/** The response to renaming an organization that has these values. */
async function renamed(values: Values) {
  const api = openApi();
  const { id, keys } = await mintOrganization(values);
  const answer = await api.send("PUT", `/api/v1/organizations/${id}`, {
    key: keys.owner,
    json: "Acme",
  });
  return { id, answer };
}

test("an organization without values has every field, null where unset", async () => {
  const { id, answer } = await renamed({ created_at: instant });
  expect(seen(answer)).toEqual(succeeded());
  expect(answer.body).toEqual({
    success: true,
    data: {
      id,
      created_at: instant,
      updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      name: "Acme",
      onboarding: [],
      plan: null,
      plan_status: null,
      discount_save_offer_active_until: null,
      discount_save_offer_percent_off: null,
      has_payment_method: false,
      last_discount_at: null,
      last_downgrade_at: null,
      last_downgrade_from_plan: null,
      last_paused_at: null,
      next_renewal_at: null,
      trial_end_date: null,
      trial_extended_used: false,
      use_case: "other",
      history_days: null,
      history_from: null,
    },
    meta: { api_version: 1, server_version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
  });
});

test("an organization with every value has all of them", async () => {
  const values = {
    created_at: instant,
    onboarding: ["OrgCreated", "InviteSent", "PlanSelected"],
    plan,
    discount_save_offer_active_until: "2026-05-01T00:00:00.000Z",
    discount_save_offer_percent_off: 25,
    has_payment_method: true,
    last_discount_at: "2026-05-02T00:00:00.010Z",
    last_downgrade_at: "2026-05-03T00:00:00.120Z",
    last_downgrade_from_plan: { ...plan, type: "Business", rate: "Year", base_cents: null },
    last_paused_at: "2026-05-04T23:59:59.999Z",
    next_renewal_at: "2026-05-05T00:00:00.001Z",
    trial_end_date: "2026-05-06T00:00:00.100Z",
    trial_extended_used: true,
    use_case: "homelab",
  } satisfies Values;
  const { answer } = await renamed({ ...values, plan_status: "past_due" });
  expect(answer).toMatchObject({
    status: 200,
    body: { data: { ...values, plan_status: { status: "past_due" } } },
  });
});

test.each(planTypes)("a plan of type %s has its ten fields", async (type) => {
  const { answer } = await renamed({ plan: { ...plan, type } });
  expect(seen(answer)).toEqual(succeeded());
  expect(answer.body).toHaveProperty("data.plan", { ...plan, type });
});

test.each(planRates)("returns a plan with the rate %s", async (rate) => {
  const { answer } = await renamed({ last_downgrade_from_plan: { ...plan, rate } });
  expect(seen(answer)).toEqual(succeeded());
  expect(answer.body).toHaveProperty("data.last_downgrade_from_plan", { ...plan, rate });
});

test.each(planStatuses)("returns the plan status %s as an object", async (status) => {
  const { answer } = await renamed({ plan_status: status });
  expect(seen(answer)).toEqual(succeeded());
  expect(answer.body).toHaveProperty("data.plan_status", { status });
});

test.each(useCases)("returns the use case %s", async (use_case) => {
  const { answer } = await renamed({ use_case });
  expect(answer).toMatchObject({ status: 200, body: { data: { use_case } } });
});

test("lists milestones in the order in which they were reached, not in catalogue order", async () => {
  const onboarding = [...onboardingMilestones].reverse();
  const { answer } = await renamed({ onboarding });
  expect(seen(answer)).toEqual(succeeded());
  expect(answer.body).toHaveProperty("data.onboarding", onboarding);
});

test("the lists of allowed values equal those in the contract", () => {
  expect({ planTypes, planRates, planStatuses, useCases, onboardingMilestones }).toEqual({
    planTypes:
      "Community, Free, Starter, Pro, Team, Business, Enterprise, Demo, CommercialSelfHosted".split(
        ", ",
      ),
    planRates: ["Month", "Year"],
    planStatuses: "active, trialing, past_due, paused, pending_cancellation, cancelled".split(", "),
    useCases: ["homelab", "internal_it", "msp", "other"],
    onboardingMilestones: [
      "OrgCreated, OnboardingModalCompleted, PlanSelected, FirstDaemonRegistered",
      "FirstTopologyRebuild, FirstDiscoveryCompleted, FirstHostDiscovered, SecondNetworkCreated",
      "FirstTagCreated, FirstDependencyCreated, FirstUserApiKeyCreated",
      "FirstSnmpCredentialCreated, FirstCredentialCreated, FirstSnapshotCreated, InviteSent",
      "InviteAccepted, ProfileCompleted, ReferralSourceCompleted",
    ]
      .join(", ")
      .split(", "),
  });
});

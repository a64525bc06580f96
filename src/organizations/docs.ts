import type * as z from "zod";
import { describeGroup, describeOperation } from "../openapi/describe.ts";
import { idParameter } from "../openapi/texts.ts";
import { createdOrganizationSchema, createOrganization } from "./create.ts";
import { form } from "./input.ts";
import { organizationSchema } from "./model.ts";
import { type ManagedOrganization, managedOrganizationSchema } from "./operator-model.ts";
import { readOwnOrganization } from "./read-own.ts";
import { patch, read, update } from "./routes.ts";
import { setHistory } from "./set-history.ts";
import { remove, resume, suspend } from "./suspend.ts";
import { readUsage, usageSchema } from "./usage.ts";

const tag = describeGroup({
  name: "Organizations",
  description: "The tenant: plan, billing and onboarding.",
});

const organizationExample: z.output<typeof organizationSchema> = {
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
  history_days: 1825,
  history_from: null,
};

describeOperation(update, {
  operationId: "update_org_name",
  tag,
  summary: "Rename an organization",
  description:
    'Renames the organization of your key. No other organization is visible. The body is the new name, 1 to 100 characters after trimming: a JSON string, such as `"Acme"`, or an object, such as `{"name": "Acme"}`, for tools that cannot send a bare string. Only `name` and `updated_at` change. The key must have access to every network of the organization.',
  parameters: idParameter("Organization", "organization", organizationExample.id),
  data: organizationSchema,
  response: "The organization with its new name.",
  responseComponent: "RenamedOrganization",
  example: { body: { name: organizationExample.name }, data: organizationExample },
  errorExamples: {
    validation_failed: {
      issues: [
        {
          path: "body",
          message: `must have at least 1 character: send ${form}`,
          code: "too_small",
        },
      ],
      issue_count: 1,
    },
    entity_not_found: { entity: "Organization", id: organizationExample.id },
  },
});

describeOperation(patch, {
  operationId: "patch_organization",
  tag,
  summary: "Rename an organization with PATCH",
  description:
    "Renames your key's organization, as PUT does (RFC 7396). With `If-Match`, nothing changes unless the record still has that `ETag`.",
  parameters: idParameter("Organization", "organization", organizationExample.id),
  data: organizationSchema,
  response: "The organization with its new name.",
  responseComponent: "RenamedOrganization",
  example: { body: { name: organizationExample.name }, data: organizationExample },
  errorExamples: { entity_not_found: { entity: "Organization", id: organizationExample.id } },
});

describeOperation(setHistory, {
  operationId: "set_organization_history",
  tag,
  summary: "Set how long history is kept",
  description:
    "Sets the number of days for which the organization keeps the history of its inventory; null for unlimited. Older versions are deleted gradually and permanently: the history is complete from `history_from` on. For instants and cursors before it, the response is 410. A higher value, or null, does not restore anything. The key must have access to every network of the organization.",
  parameters: idParameter("Organization", "organization", organizationExample.id),
  data: organizationSchema,
  response: "The organization. `history_from` is updated within a day.",
  example: { body: { history_days: 1825 }, data: organizationExample },
  errorExamples: { entity_not_found: { entity: "Organization", id: organizationExample.id } },
});

describeOperation(readOwnOrganization, {
  operationId: "get_organization",
  tag,
  summary: "Get your organization",
  description:
    "Gets the organization of your key. You do not need to know its id.\n\nWith `all=true` and an **operator key**, lists all organizations, in creation order: a page of `ManagedOrganization` with `limit` (1 to 1000, 50 by default), `offset` and `cursor`.",
  parameters: {
    limit: { description: "Ignored without `all`.", example: 50 },
    offset: { description: "Ignored without `all`.", example: 0 },
    all: { description: "`true` lists all organizations. It needs an operator key." },
    cursor: {
      description: "With `all`: `meta.pagination.next_cursor` of the previous page.",
    },
    state: { description: "With `all`: only organizations in this state." },
  },
  data: organizationSchema,
  // A union with the page would change the type that the callers of the other form get.
  response: "The organization. With `all`, a page of organizations, which has another schema.",
  example: { data: organizationExample },
});

const managedExample: ManagedOrganization = {
  id: "f8d5e844-9af6-433b-84df-e2f0655532bf",
  created_at: "2026-04-22T15:57:37.843Z",
  updated_at: "2026-04-22T15:57:37.843Z",
  name: "Acme",
  plan: organizationExample.plan,
  state: "active",
  suspended_at: null,
  deletes_at: null,
};

describeOperation(suspend, {
  operationId: "suspend_organization",
  tag,
  summary: "Suspend an organization",
  description:
    "Suspends an organization: its keys and tokens get 403 `organization_suspended`, its daemons are not polled, its webhooks get no messages, and its schedules do not start scans. Nothing is lost: it continues when it is resumed. A suspended organization is returned unchanged.",
  parameters: idParameter("ManagedOrganization", "organization", managedExample.id),
  data: managedOrganizationSchema,
  response: "The organization.",
  responseComponent: "ManagedOrganizationRecord",
  example: { data: managedExample },
  errorExamples: { entity_not_found: { entity: "Organization", id: organizationExample.id } },
});

describeOperation(readUsage, {
  operationId: "get_organization_usage",
  tag,
  summary: "Get the usage of an organization",
  description:
    "Gets the usage of an organization for each day in UTC from `from` to `to`, including both, for billing: at most 400 days. `hosts` and `daemons` are the numbers shortly after the end of the day, and `versions` is the number of versions of inventory records that began on that day. They are null for days that have not ended, and for days that were not counted. Section 15 of the contract states how exact each number is.",
  parameters: {
    ...idParameter("ManagedOrganization", "organization", managedExample.id),
    from: {
      description: "The first day: a date, an instant on that day, or a time before now.",
      example: "-7d",
      component: "UsageFrom",
    },
    to: { description: "The last day, by default today.", component: "UsageTo" },
  },
  data: usageSchema,
  response: "The usage, one entry per day.",
  example: {
    data: {
      organization_id: managedExample.id,
      days: [
        {
          day: "2026-04-22",
          requests: 18_204,
          hosts: 214,
          versions: 96,
          daemons: 2,
          webhook_deliveries: 41,
        },
      ],
    },
  },
  errorExamples: { entity_not_found: { entity: "Organization", id: organizationExample.id } },
});

describeOperation(remove, {
  operationId: "delete_organization",
  tag,
  summary: "Delete an organization",
  description:
    "Suspends an organization at once, and deletes it with all of its records, keys and history 30 days later, from `deletes_at` on. Until then, it can be resumed. A deleted organization is returned unchanged.",
  parameters: idParameter("ManagedOrganization", "organization", managedExample.id),
  data: managedOrganizationSchema,
  response: "The organization.",
  responseComponent: "ManagedOrganizationRecord",
  example: { data: managedExample },
  errorExamples: { entity_not_found: { entity: "Organization", id: organizationExample.id } },
});

describeOperation(resume, {
  operationId: "resume_organization",
  tag,
  summary: "Resume an organization",
  description:
    "Resumes a suspended organization, or a deleted one until `deletes_at`. Webhooks continue with the changes that they have not received, and schedules with their next scan; missed scans are not made up for. An active organization is returned unchanged.",
  parameters: idParameter("ManagedOrganization", "organization", managedExample.id),
  data: managedOrganizationSchema,
  response: "The organization.",
  responseComponent: "ManagedOrganizationRecord",
  example: { data: managedExample },
  errorExamples: { entity_not_found: { entity: "Organization", id: organizationExample.id } },
});

describeOperation(createOrganization, {
  operationId: "create_organization",
  tag,
  summary: "Create an organization",
  description:
    "Creates an organization with its first Owner key, which can access every network. The response is the only one that contains the key. If you choose the `id`, repeating a request whose response was lost fails with 409 instead of creating another organization. `Idempotency-Key` is ignored.",
  data: createdOrganizationSchema,
  response: "The organization and its first key.",
  example: {
    body: { name: managedExample.name, plan: organizationExample.plan, key_name: "Backend" },
    data: {
      organization: managedExample,
      key: "inv_u_ExampleKey0000000000000000000000000000",
      api_key: {
        id: "3f8e0c5a-54bd-4f63-8f0e-6f0a6f5f3b11",
        name: "Backend",
        permissions: "Owner",
        key_hint: "0000",
      },
    },
  },
  errorExamples: {
    entity_already_exists: {
      entity: "Organization",
      field: "body.id",
      id: managedExample.id,
    },
  },
});

describeOperation(read, {
  operationId: "get_organization_by_id",
  tag,
  summary: "Get your organization by its id",
  description: "Gets the organization of your key. No other organization is visible.",
  parameters: idParameter("Organization", "organization", organizationExample.id),
  data: organizationSchema,
  response: "The organization.",
  responseComponent: "OrganizationRecord",
  example: { data: organizationExample },
  errorExamples: { entity_not_found: { entity: "Organization", id: organizationExample.id } },
});

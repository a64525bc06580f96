import type * as z from "zod";
import { describeGroup, describeOperation } from "../openapi/describe.ts";
import { idParameter } from "../openapi/texts.ts";
import { form } from "./input.ts";
import { organizationSchema } from "./model.ts";
import { readOwnOrganization } from "./read-own.ts";
import { patch, read, update } from "./routes.ts";
import { setHistory } from "./set-history.ts";

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
  description: "Gets the organization of your key. You do not need to know its id.",
  parameters: {
    limit: { description: "Ignored.", example: 50 },
    offset: { description: "Ignored.", example: 0 },
  },
  data: organizationSchema,
  response: "The organization.",
  responseComponent: "OrganizationRecord",
  example: { data: organizationExample },
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

import type { InferSelectModel } from "drizzle-orm";
import type { organizations } from "../database/tables/index.ts";

/** An organization as callers see it (API contract, section 5): every key present, null when unset. */
export function organizationWire({
  plan_status,
  ...organization
}: InferSelectModel<typeof organizations>) {
  return { ...organization, plan_status: plan_status && { status: plan_status } };
}

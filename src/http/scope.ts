import { declares } from "./declares.ts";
import type { TenantEnv } from "./factory.ts";

/**
 * The records that an operation changes: the organization's own records, or records in networks.
 */
export type Scope = "organization" | "networks";

/**
 * Rejects keys limited to specific networks if an operation changes the organization's own records
 * (API contract, section 7). Place it directly after `authenticate`: the gate checks the scope
 * together with the role, before the request is validated.
 */
export const requireScope = (scope: Scope) =>
  declares<TenantEnv, object, "auth_scope_denied">(
    { errors: scope === "organization" ? ["auth_scope_denied"] : [] },
    async (c, next) => {
      if (scope === "organization") {
        c.var.tenant.requireAllNetworks();
      }
      await next();
    },
  );

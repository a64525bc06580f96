import { declares } from "./declares.ts";
import type { TenantEnv } from "./factory.ts";

/** What an operation changes: something above networks, or what lies in them. */
export type Scope = "organization" | "networks";

/**
 * Refuses keys that are limited to networks where an operation changes what lies above networks
 * (API contract, section 7). Belongs right behind `authenticate`, since the gate decides it with the
 * role, before the request itself is judged.
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

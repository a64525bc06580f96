import { declares } from "./declares.ts";
import type { TenantEnv } from "./factory.ts";

/**
 * For operations on what lies above networks (API contract, section 7): refuses keys that are
 * limited to networks. Belongs right behind `authenticate`, since the gate decides it with the role,
 * before the request itself is judged.
 */
export const aboveNetworks = () =>
  declares<TenantEnv, object, "auth_scope_denied">(
    { errors: ["auth_scope_denied"] },
    async (c, next) => {
      c.var.tenant.requireAllNetworks();
      await next();
    },
  );

import { createFactory } from "hono/factory";
import type { TenantSession } from "../database/session.ts";
import type { Settings, WorkerEnv } from "../env.ts";
import type { Counted } from "./limits/rate-limit.ts";

/** What every handler finds in its context. */
export interface AppEnv {
  Bindings: WorkerEnv;
  Variables: {
    settings: Settings;
    requestId: string;
    serverVersion: string;
    /** The limits that the request was counted against; none where limits are off. */
    counted: Counted[];
    /** The SHA-256 of the body, in hexadecimal, of a request with an Idempotency-Key. */
    bodyHash?: string;
  };
}

/** What a handler behind `authenticate` finds in addition. */
export interface TenantEnv extends AppEnv {
  Variables: AppEnv["Variables"] & { tenant: TenantSession; keyHash: string; keyHint: string };
}

export const factory = createFactory<AppEnv>();

import { createFactory } from "hono/factory";
import type { OperatorSession } from "../database/operator-session.ts";
import type { TenantSession } from "../database/session.ts";
import type { Settings, WorkerEnv } from "../env.ts";
import type { Counted } from "./limits/rate-limit.ts";

/** The context of every handler. */
export interface AppEnv {
  Bindings: WorkerEnv;
  Variables: {
    settings: Settings;
    requestId: string;
    serverVersion: string;
    /** The rate limits against which the request was counted; empty if rate limits are off. */
    counted: Counted[];
    /** The time for which the request waited for changes, in milliseconds. */
    waitedMs?: number;
    /** The SHA-256 hash of the body, in hexadecimal, for a request with an Idempotency-Key. */
    bodyHash?: string;
  };
}

/** The context of a handler behind `authenticate`. */
export interface TenantEnv extends AppEnv {
  Variables: AppEnv["Variables"] & { tenant: TenantSession; keyHash: string; keyHint: string };
}

/** The context of a handler behind `authenticateOperator`. */
export interface OperatorEnv extends AppEnv {
  Variables: AppEnv["Variables"] & { operator: OperatorSession; keyHash: string; keyHint: string };
}

export const factory = createFactory<AppEnv>();

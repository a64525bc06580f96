import type { Settings } from "../../../env.ts";
import { ApiError } from "../../../errors/errors.ts";
import { oldestVersion } from "../../version-status.ts";
import type { Visited } from "../ingest.ts";
import { successSchema } from "../report/protocol.ts";
import { callDaemon, type DaemonAccess } from "./call.ts";
import { CallFailure } from "./call-failure.ts";

/** A daemon that has responded, and what is known of it. */
export interface Visit extends Visited {
  access: DaemonAccess;
  version: string | null;
  isReady: boolean;
  is_introduced: boolean;
  has_work: boolean;
  /** How long one request of the visit may take, in milliseconds. */
  deadlineMs: number;
  /** Ends the visit. */
  signal: AbortSignal;
}

/** What a request of a visit needs to know. */
type Access = Pick<Visit, "access" | "deadlineMs" | "signal">;

/** What may be said of a failure: never a message, which can hold SQL. */
export function codeOf(error: unknown): string {
  if (error instanceof CallFailure) {
    return error.reason;
  }
  if (error instanceof ApiError) {
    return error.code === "rate_limit_exceeded" ? "too_many_versions" : "database";
  }
  return "internal";
}

/**
 * Sends a request to the daemon and checks that it reports success. The rest of the response is ignored.
 * @param path below `/api/`
 * @param json what is posted, as text
 * @throws {CallFailure}
 */
export const post = async (visit: Access, path: string, json: string) => {
  const response = await callDaemon(visit.access, {
    path,
    json,
    signal: AbortSignal.any([visit.signal, AbortSignal.timeout(visit.deadlineMs)]),
  });
  if (!successSchema.safeParse(response).success) {
    throw new CallFailure("wrong_shape");
  }
};

/** {@link post}, of what is not too large to become JSON at once. */
export const call = (visit: Access, path: string, body: unknown) =>
  post(visit, path, JSON.stringify(body));

/** First contact: the daemon takes over its id. */
export const introduce = ({ SERVER_VERSION }: Settings, visit: Visit) =>
  call(visit, "first-contact", {
    daemon_id: visit.id,
    server_capabilities: {
      server_version: SERVER_VERSION,
      minimum_daemon_version: oldestVersion,
    },
  });

/** Tells the daemon to end a scan. If none runs, that is as good. */
export async function cancel(visit: Access, sessionId: string): Promise<void> {
  try {
    await call(visit, "discovery/cancel", sessionId);
  } catch (error) {
    if (!(error instanceof CallFailure && error.httpStatus === 409)) {
      throw error;
    }
  }
}

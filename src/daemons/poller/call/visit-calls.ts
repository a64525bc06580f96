import * as z from "zod";
import type { Settings } from "../../../env.ts";
import { oldestVersion } from "../../version-status.ts";
import type { VisitLease } from "../claim/lease.ts";
import { callDaemon, type DaemonAccess } from "./call.ts";
import { CallFailure } from "./call-failure.ts";

/** A visit to a daemon whose status request succeeded. */
export interface Visit extends VisitLease {
  access: DaemonAccess;
  version: string | null;
  /** True if the daemon accepts work. */
  isReady: boolean;
  /** True if the daemon has already acknowledged the service. */
  is_introduced: boolean;
  /** True if a scan was waiting, running or unsettled when the daemon was claimed. */
  has_work: boolean;
  /** The timeout for each request, in milliseconds. */
  deadlineMs: number;
  /** Aborts the visit. */
  signal: AbortSignal;
}

/** The part of a visit that its requests need. */
type Access = Pick<Visit, "access" | "deadlineMs" | "signal">;

/** A response that reports success. */
const successSchema = z.object({ success: z.literal(true) });

/**
 * Posts a request to the daemon and checks that it reports success. Ignores the rest of the response.
 * @param path below `/api/`
 * @param json the body
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

/** {@link post}, for a body that is small enough to be serialized in one step. */
export const call = (visit: Access, path: string, body: unknown) =>
  post(visit, path, JSON.stringify(body));

/** Introduces the service to a daemon, which adopts the id that the service uses for it. */
export const introduce = ({ SERVER_VERSION }: Settings, visit: Visit) =>
  call(visit, "first-contact", {
    daemon_id: visit.id,
    server_capabilities: {
      server_version: SERVER_VERSION,
      minimum_daemon_version: oldestVersion,
    },
  });

/** Cancels a scan. A 409 (no scan is running) is treated as success. */
export async function cancel(visit: Access, sessionId: string): Promise<void> {
  try {
    await call(visit, "discovery/cancel", sessionId);
  } catch (error) {
    if (!(error instanceof CallFailure && error.httpStatus === 409)) {
      throw error;
    }
  }
}

import { databaseFailureBehind } from "./database/database-failure.ts";
import { ConfigurationError, type Settings, settingsOf, type WorkerEnv } from "./env.ts";
import { ApiError } from "./errors.ts";
import { logMisconfiguration } from "./http/log.ts";
import { traceOf } from "./http/trace.ts";

/** What the Worker does by itself, as the log names it. */
export type Job =
  | "scheduled_scans"
  | "poll_cycle"
  | "poll_batch"
  | "scan_cancellations"
  | "idempotency_sweep"
  | "session_sweep"
  | "version_sweep";

/** The configuration that jobs run with; null, and a line in the log, where it cannot be used. */
export function jobSettings(env: WorkerEnv): Settings | null {
  try {
    return settingsOf(env);
  } catch (error) {
    if (error instanceof ConfigurationError) {
      logMisconfiguration(error);
      return null;
    }
    throw error;
  }
}

/**
 * Runs a job and logs why it failed: a job has no caller to tell. Nothing is thrown on, as the
 * platform would log it with its message and its stack, and both can hold secrets.
 * @returns whether the job has succeeded
 */
export async function runJob(job: Job, run: () => Promise<void>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    // What the catalogue has no error for is a bug.
    const isOurs = !(error instanceof ApiError);
    const failure = databaseFailureBehind(error);
    const line = {
      event: "job_failed",
      job,
      reason: isOurs ? null : (failure?.reason ?? null),
      sqlstate: failure?.sqlstate ?? null,
      error: isOurs && error instanceof Error ? traceOf(error) : null,
    };
    console.error(JSON.stringify(line));
    return false;
  }
}

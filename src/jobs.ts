import * as z from "zod";
import { runWebhookCycle, webhookMessageSchema } from "./changes/deliveries/cycle.ts";
import { deliverBatch } from "./changes/deliveries/deliver.ts";
import { pollBatch, pollBatchAgain } from "./daemons/poller/batch.ts";
import {
  cancellationMessageSchema,
  enqueueCancellations,
  sendCancellations,
} from "./daemons/poller/cancellations.ts";
import { pollMessageSchema, runPollCycle } from "./daemons/poller/claim/cycle.ts";
import { startDueScans } from "./daemons/poller/claim/schedules.ts";
import { databaseFailureBehind } from "./database/database-failure.ts";
import { sweep, sweepStaleHosts } from "./database/sweep.ts";
import { ConfigurationError, metricsOf, type Settings, settingsOf, type WorkerEnv } from "./env.ts";
import { ApiError } from "./errors/errors.ts";
import { logMisconfiguration } from "./http/log.ts";
import { traceOf } from "./http/trace.ts";
import { measure } from "./metrics.ts";

/** The scheduled jobs, by their names in the log. */
type Job =
  | "scheduled_scans"
  | "poll_cycle"
  | "poll_batch"
  | "scan_cancellations"
  | "webhook_cycle"
  | "webhook_batch"
  | (typeof sweepJobs)[number]
  | "session_sweep"
  | "stale_sweep";

/** Jobs that are one sweep, under its name. */
const sweepJobs = [
  "idempotency_sweep",
  "version_sweep",
  "history_sweep",
  "audit_sweep",
  "webhook_delivery_sweep",
] as const;

/** The configuration that jobs run with; null, and a line in the log, where it cannot be used. */
function jobSettings(env: WorkerEnv): Settings | null {
  try {
    return settingsOf(env);
  } catch (error) {
    if (error instanceof ConfigurationError) {
      logMisconfiguration(error);
      const outcome = "configuration";
      measure(metricsOf(env), { event: "job", operation: outcome, outcome });
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
async function runJob({ METRICS }: Settings, job: Job, run: () => Promise<void>): Promise<boolean> {
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
    const outcome = line.reason ?? line.error?.name ?? "internal_error";
    measure(METRICS, { event: "job", operation: job, outcome });
    return false;
  }
}

/** How long a cycle of webhooks is from the next one, in milliseconds: a change is told within five seconds. */
const webhookCycleMs = 4000;

/**
 * Looks every few seconds which webhooks are to be told something: the trigger itself comes once a minute, and a
 * request that changes something does no more for them than any other. Waiting costs no CPU time.
 * @param watchedMs how long to go on; the first look is always taken
 */
export async function watchWebhooks(settings: Settings, watchedMs: number): Promise<void> {
  for (let elapsedMs = 0; ; elapsedMs += webhookCycleMs) {
    await runJob(settings, "webhook_cycle", () => runWebhookCycle(settings));
    if (elapsedMs + webhookCycleMs >= watchedMs) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, webhookCycleMs));
  }
}

/**
 * A cycle of the poller and the sweeps, every minute. None stops another when it fails.
 * @param watchedMs how long webhooks are watched
 */
export async function runEveryMinute(env: WorkerEnv, watchedMs: number): Promise<void> {
  const settings = jobSettings(env);
  if (settings === null) {
    return;
  }
  await Promise.all([
    // A scan that is due begins with the cycle.
    runJob(settings, "scheduled_scans", () => startDueScans(settings)).then(() =>
      runJob(settings, "poll_cycle", () => runPollCycle(settings)),
    ),
    runJob(settings, "scan_cancellations", () => enqueueCancellations(settings)),
    ...sweepJobs.map((job) => runJob(settings, job, () => sweep(settings, job))),
    runJob(settings, "session_sweep", async () => {
      await sweep(settings, "stalled_sessions");
      await sweep(settings, "session_sweep");
    }),
    runJob(settings, "stale_sweep", () => sweepStaleHosts(settings)),
    watchWebhooks(settings, watchedMs),
  ]);
}

/** What failed is likely to fail again at once. The leases of the daemons hold for five minutes. */
const retryDelaySeconds = 10;

const messageSchema = z.union([webhookMessageSchema, cancellationMessageSchema, pollMessageSchema]);

/** Takes one message. */
async function take(settings: Settings, message: Message): Promise<void> {
  const body = messageSchema.parse(message.body);
  if ("webhooks" in body) {
    await deliverBatch(settings, body);
  } else if ("cancellations" in body) {
    await sendCancellations(settings, body);
  } else {
    await (message.attempts > 1 ? pollBatchAgain : pollBatch)(settings, body);
  }
}

/**
 * The daemons of a cycle, scans of deleted ones, and webhooks, batch by batch. A batch that fails is delivered
 * again.
 */
export async function takeMessages(batch: MessageBatch, env: WorkerEnv): Promise<void> {
  const settings = jobSettings(env);
  const job = batch.queue.endsWith("webhooks") ? "webhook_batch" : "poll_batch";
  for (const message of batch.messages) {
    const hasSucceeded =
      settings !== null && (await runJob(settings, job, () => take(settings, message)));
    if (hasSucceeded) {
      message.ack();
    } else {
      message.retry({ delaySeconds: retryDelaySeconds });
    }
  }
}

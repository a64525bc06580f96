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
import { foldSize, msUntilDue, sweep, sweepStaleHosts } from "./database/sweep.ts";
import {
  type AgendaNamespace,
  ConfigurationError,
  metricsOf,
  type Settings,
  settingsOf,
  type WorkerEnv,
} from "./env.ts";
import { ApiError } from "./errors/errors.ts";
import { logMisconfiguration } from "./http/log.ts";
import { traceOf } from "./http/trace.ts";
import { beginRest, isDue, wake } from "./outbound/agenda.ts";
import { signalChange } from "./outbound/change-signal.ts";
import { measure } from "./outbound/metrics.ts";

/** The Worker's background jobs, as named in the log. */
type Job =
  | "scheduled_scans"
  | "poll_cycle"
  | "poll_batch"
  | "scan_cancellations"
  | "webhook_cycle"
  | "webhook_batch"
  | (typeof sweepJobs)[number]
  | "session_sweep"
  | "stale_sweep"
  | "count_fold"
  | "rest";

/** Jobs that each run a single sweep, named after that sweep. */
const sweepJobs = [
  "idempotency_sweep",
  "token_sweep",
  "version_sweep",
  "history_sweep",
  "audit_sweep",
  "webhook_delivery_sweep",
  "organization_sweep",
  "usage_count",
] as const;

/** The configuration for jobs. If it is invalid, logs the problem and returns null. */
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
 * Runs a job and logs any failure, since a job has no caller. Never throws: the platform would log
 * the error's message and stack trace, and both can contain secrets.
 * @returns true if the job succeeded
 */
async function runJob({ METRICS }: Settings, job: Job, run: () => Promise<void>): Promise<boolean> {
  try {
    await run();
    return true;
  } catch (error) {
    // An error that is not in the catalogue is a bug.
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

/**
 * Interval between webhook cycles, in milliseconds. Changes must be sent within five seconds (API
 * contract, section 12).
 */
const webhookCycleMs = 4000;

/**
 * The agenda that decides whether to query the database; undefined to query it always. In local
 * development, tools also write to the database, and do not wake the agenda.
 */
const agendaOf = ({ AGENDA }: Settings, watchedMs: number): AgendaNamespace | undefined =>
  watchedMs === 0 ? undefined : AGENDA;

const mayBeDue = async (agenda: AgendaNamespace | undefined): Promise<boolean> =>
  agenda === undefined || (await isDue(agenda));

/**
 * Checks for due webhooks every few seconds, unless nothing is due. The cron trigger fires only once
 * a minute, and requests do not trigger deliveries. Waiting does not use CPU time.
 * @param watchedMs the duration in milliseconds; with 0, there is one check, which always runs
 */
export async function watchWebhooks(settings: Settings, watchedMs: number): Promise<void> {
  const agenda = agendaOf(settings, watchedMs);
  for (let elapsedMs = 0; ; elapsedMs += webhookCycleMs) {
    if (await mayBeDue(agenda)) {
      await runJob(settings, "webhook_cycle", () => runWebhookCycle(settings));
    }
    if (elapsedMs + webhookCycleMs >= watchedMs) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, webhookCycleMs));
  }
}

/**
 * Maximum time without a query by the jobs, in milliseconds. Jobs whose time is not promised wait at
 * most that long, and so do changes that were made without the API.
 */
export const maximumRestMs = 6 * 3_600_000;

/**
 * Runs the poll cycle and the sweeps; called every minute. Does not call the database while nothing
 * is due.
 * @param watchedMs how long to watch webhooks, in milliseconds
 */
export async function runEveryMinute(env: WorkerEnv, watchedMs: number): Promise<void> {
  const settings = jobSettings(env);
  if (settings === null) {
    return;
  }
  const agenda = agendaOf(settings, watchedMs);
  const running = async () => {
    if (await mayBeDue(agenda)) {
      await runJobs(settings, agenda);
    }
  };
  await Promise.all([running(), watchWebhooks(settings, watchedMs)]);
}

/**
 * Runs each job once. A failing job does not stop the other jobs. If all jobs have succeeded and
 * nothing is left, the agenda rests until something is due.
 */
async function runJobs(settings: Settings, agenda: AgendaNamespace | undefined): Promise<void> {
  // Before the jobs: a change that a job has not seen ends the attempt.
  const rest = agenda && (await beginRest(agenda));
  let hasMore = false;
  const sweepWith = (job: Job, run: () => Promise<boolean>) =>
    runJob(settings, job, async () => {
      hasMore = (await run()) || hasMore;
    });
  const succeeded = await Promise.all([
    // Due scans are queued first, so that the poll cycle starts them.
    runJob(settings, "scheduled_scans", () => startDueScans(settings)).then(
      async (isStarted) =>
        (await runJob(settings, "poll_cycle", () => runPollCycle(settings))) && isStarted,
    ),
    runJob(settings, "scan_cancellations", () => enqueueCancellations(settings)),
    ...sweepJobs.map((job) => sweepWith(job, () => sweep(settings, job))),
    sweepWith("session_sweep", async () => {
      const isStalled = await sweep(settings, "stalled_sessions");
      return (await sweep(settings, "session_sweep")) || isStalled;
    }),
    sweepWith("stale_sweep", () =>
      sweepStaleHosts(settings, (organizationId) => signalChange(settings, organizationId)),
    ),
    sweepWith("count_fold", () => sweep(settings, "count_fold", foldSize)),
  ]);
  if (rest !== undefined && !hasMore && !succeeded.includes(false)) {
    await runJob(settings, "rest", async () => rest(await msUntilDue(settings, maximumRestMs)));
  }
}

/** An immediate retry would probably fail again. Daemon leases last for five minutes. */
const retryDelaySeconds = 10;

const messageSchema = z.union([webhookMessageSchema, cancellationMessageSchema, pollMessageSchema]);

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
 * Processes messages from a queue: daemons to poll, scans of deleted daemons to cancel, and
 * webhooks to deliver. A failed message is retried. The results can make other jobs due, such as the
 * deliveries of the changes that a daemon has reported.
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
  if (settings?.AGENDA !== undefined) {
    await wake(settings.AGENDA);
  }
}

import * as z from "zod";
import { app } from "./app.ts";
import { pollBatch, pollBatchAgain } from "./daemons/poller/batch.ts";
import {
  cancellationMessageSchema,
  enqueueCancellations,
  sendCancellations,
} from "./daemons/poller/cancellations.ts";
import { pollMessageSchema, runPollCycle } from "./daemons/poller/cycle.ts";
import { startDueScans } from "./daemons/poller/schedules.ts";
import { sweepIdempotencyKeys, sweepSessions, sweepVersionCounters } from "./database/sweep.ts";
import type { WorkerEnv } from "./env.ts";
import { jobSettings, runJob } from "./jobs.ts";

export type { App } from "./app.ts";

/** What failed is likely to fail again at once. The leases of the daemons hold for five minutes. */
const retryDelaySeconds = 10;

const messageSchema = z.union([cancellationMessageSchema, pollMessageSchema]);

export default {
  fetch: app.fetch,

  /** A cycle of the poller and the sweeps, every minute. None stops another when it fails. */
  async scheduled(_controller: ScheduledController, env: WorkerEnv): Promise<void> {
    const settings = jobSettings(env);
    if (settings === null) {
      return;
    }
    await Promise.all([
      // A scan that is due begins with the cycle.
      runJob("scheduled_scans", () => startDueScans(settings)).then(() =>
        runJob("poll_cycle", () => runPollCycle(settings)),
      ),
      runJob("scan_cancellations", () => enqueueCancellations(settings)),
      runJob("idempotency_sweep", () => sweepIdempotencyKeys(settings)),
      runJob("session_sweep", () => sweepSessions(settings)),
      runJob("version_sweep", () => sweepVersionCounters(settings)),
    ]);
  },

  /** The daemons of a cycle, and scans of deleted ones, batch by batch. A batch that fails is delivered again. */
  async queue(batch: MessageBatch, env: WorkerEnv): Promise<void> {
    const settings = jobSettings(env);
    for (const message of batch.messages) {
      const hasSucceeded =
        settings !== null &&
        (await runJob("poll_batch", async () => {
          const body = messageSchema.parse(message.body);
          await ("cancellations" in body
            ? sendCancellations(settings, body)
            : message.attempts > 1
              ? pollBatchAgain(settings, body)
              : pollBatch(settings, body));
        }));
      if (hasSucceeded) {
        message.ack();
      } else {
        message.retry({ delaySeconds: retryDelaySeconds });
      }
    }
  },
};

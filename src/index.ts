import { app } from "./app.ts";
import { pollBatch } from "./daemons/poller/batch.ts";
import { pollMessageSchema, runPollCycle } from "./daemons/poller/cycle.ts";
import { startDueScans } from "./daemons/poller/schedules.ts";
import { sweepIdempotencyKeys, sweepSessions } from "./database/sweep.ts";
import { settingsOf, type WorkerEnv } from "./env.ts";

export type { App } from "./app.ts";

export default {
  fetch: app.fetch,

  /** A cycle of the poller and the sweeps, every minute. None stops another when it fails. */
  async scheduled(_controller: ScheduledController, env: WorkerEnv): Promise<void> {
    const settings = settingsOf(env);
    // A scan that is due begins with the cycle.
    const cycle = startDueScans(settings).finally(() => runPollCycle(settings));
    const jobs = [cycle, sweepIdempotencyKeys(settings), sweepSessions(settings)];
    await Promise.allSettled(jobs);
    await Promise.all(jobs);
  },

  /** The daemons of a cycle, batch by batch. A batch that fails is delivered again. */
  async queue(batch: MessageBatch, env: WorkerEnv): Promise<void> {
    const settings = settingsOf(env);
    for (const message of batch.messages) {
      await pollBatch(settings, pollMessageSchema.parse(message.body));
      message.ack();
    }
  },
};

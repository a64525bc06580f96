import { app } from "./app.ts";
import type { WorkerEnv } from "./env.ts";

export { Agenda } from "./agenda.ts";
export type { App } from "./app.ts";
export { ChangeSignal } from "./change-signal.ts";

/** The interval of the cron trigger, in milliseconds (`wrangler.toml`). */
const minuteMs = 60_000;

/** Loads the background jobs on first use, because most isolates only serve requests. */
const jobs = () => import("./jobs.ts");

export default {
  fetch: app.fetch,

  async scheduled({ cron }: ScheduledController, env: WorkerEnv): Promise<void> {
    const { runEveryMinute } = await jobs();
    // Local development calls this every few seconds, without a cron expression.
    await runEveryMinute(env, cron === "" ? 0 : minuteMs);
  },

  async queue(batch: MessageBatch, env: WorkerEnv): Promise<void> {
    const { takeMessages } = await jobs();
    await takeMessages(batch, env);
  },
};

import { app } from "./app.ts";
import type { WorkerEnv } from "./env.ts";

export type { App } from "./app.ts";

/** What the Worker does by itself runs when it is first wanted: most isolates only serve requests. */
const jobs = () => import("./jobs.ts");

export default {
  fetch: app.fetch,

  async scheduled(_controller: ScheduledController, env: WorkerEnv): Promise<void> {
    const { runEveryMinute } = await jobs();
    await runEveryMinute(env);
  },

  async queue(batch: MessageBatch, env: WorkerEnv): Promise<void> {
    const { takeMessages } = await jobs();
    await takeMessages(batch, env);
  },
};

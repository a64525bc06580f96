import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

/** The Worker, run by wrangler. */
export interface WorkerProcess {
  /** Resolves when it has ended, to its exit status. */
  readonly ended: Promise<number>;
  stop(): Promise<void>;
}

/** How long wrangler may take to stop before it is killed, in milliseconds. */
const patienceMs = 3000;

/** Starts `wrangler dev` on this machine only, with the given variables. */
export function startWorkerProcess(
  port: string,
  folder: string,
  variables: Readonly<Record<string, string>>,
): WorkerProcess {
  const worker = spawn(
    "wrangler",
    [
      "dev",
      ...["--ip", "127.0.0.1", "--port", port, "--inspector-port", "0", "--test-scheduled"],
      ...["--persist-to", `${folder}/workers`, "--show-interactive-dev-session", "false"],
      ...Object.entries(variables).flatMap(([name, value]) => ["--var", `${name}:${value}`]),
    ],
    {
      // A group of its own: Ctrl-C is for the caller, who then stops the Worker in its turn.
      detached: true,
      stdio: ["ignore", "inherit", "inherit"],
      // Nothing is fetched from the network: no usage is reported, no sample of request data loaded.
      env: {
        ...process.env,
        WRANGLER_SEND_METRICS: "false",
        CLOUDFLARE_CF_FETCH_ENABLED: "false",
      },
    },
  );
  const ended = new Promise<number>((resolve) => {
    worker.once("error", () => resolve(1));
    worker.once("exit", (status) => resolve(status ?? 1));
  });
  const signal = (name: NodeJS.Signals) => {
    if (worker.pid === undefined) {
      return;
    }
    try {
      // The whole group: what wrangler started may outlive it.
      process.kill(-worker.pid, name);
    } catch {
      // Nobody of the group is left.
    }
  };
  return {
    ended,
    async stop() {
      signal("SIGTERM");
      await Promise.race([ended, sleep(patienceMs)]);
      signal("SIGKILL");
    },
  };
}

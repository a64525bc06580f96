import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** The Worker, run by wrangler. */
export interface WorkerProcess {
  /** The id of the process group that holds all of it. */
  readonly group: number;
  /** Resolves when it has ended, to its exit status. */
  readonly ended: Promise<number>;
  stop(): Promise<void>;
}

/** How long wrangler may take to stop before it is killed, in milliseconds. */
const patienceMs = 3000;

/**
 * Starts `wrangler dev` on this machine only. It ends with this process at the latest.
 * @param options.isVerbose shows what wrangler and the Worker say, not only their warnings and errors
 */
export function startWorkerProcess(options: {
  port: string;
  folder: string;
  isVerbose: boolean;
  variables: Readonly<Record<string, string>>;
}): WorkerProcess {
  const { port, folder, isVerbose, variables } = options;
  const worker = fork(
    fileURLToPath(new URL("./worker-main.ts", import.meta.url)),
    [
      "dev",
      ...["--ip", "127.0.0.1", "--port", port, "--inspector-port", "0", "--test-scheduled"],
      ...["--persist-to", `${folder}/workers`, "--show-interactive-dev-session", "false"],
      ...["--log-level", isVerbose ? "log" : "warn"],
      ...Object.entries(variables).flatMap(([name, value]) => ["--var", `${name}:${value}`]),
    ],
    {
      // A group of its own: Ctrl-C is for the caller, who then stops the Worker in its turn.
      detached: true,
      // Nothing is fetched from the network: no usage is reported, no sample of request data loaded.
      env: {
        ...process.env,
        WRANGLER_SEND_METRICS: "false",
        CLOUDFLARE_CF_FETCH_ENABLED: "false",
      },
    },
  );
  if (worker.pid === undefined) {
    throw new Error("The Worker's process did not start.");
  }
  const group = worker.pid;
  const ended = once(worker, "exit").then(([status]) => status ?? 1);
  const signal = (name: NodeJS.Signals) => {
    try {
      // The whole group: what wrangler started may outlive it.
      process.kill(-group, name);
    } catch {
      // Nobody of the group is left.
    }
  };
  return {
    group,
    ended,
    async stop() {
      signal("SIGTERM");
      await Promise.race([ended, sleep(patienceMs)]);
      signal("SIGKILL");
    },
  };
}

import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { show, shownOfErrors, shownOfOutput } from "./terminal.ts";

/** The Worker, run by wrangler. */
export interface WorkerProcess {
  /** The id of its process group. */
  readonly group: number;
  /** Resolves to its exit status once it has ended. */
  readonly ended: Promise<number>;
  stop(): Promise<void>;
}

/** The time that wrangler has to stop before it is killed, in milliseconds. */
const patienceMs = 3000;

/**
 * Starts `wrangler dev` on this machine only. It ends no later than this process.
 * @param options.isVerbose shows all output from wrangler and the Worker, not only requests, warnings
 *   and errors
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
      ...Object.entries(variables).flatMap(([name, value]) => ["--var", `${name}:${value}`]),
    ],
    {
      // A separate process group: Ctrl-C must reach only the caller, which then stops the Worker.
      detached: true,
      stdio: isVerbose
        ? ["inherit", "inherit", "inherit", "ipc"]
        : ["inherit", "pipe", "pipe", "ipc"],
      // No network access: wrangler must neither report usage nor load sample request data.
      env: {
        ...process.env,
        WRANGLER_SEND_METRICS: "false",
        CLOUDFLARE_CF_FETCH_ENABLED: "false",
      },
    },
  );
  show(worker.stdout, shownOfOutput, console.log);
  show(worker.stderr, shownOfErrors, console.error);
  if (worker.pid === undefined) {
    throw new Error("The Worker's process did not start.");
  }
  const group = worker.pid;
  const ended = once(worker, "exit").then(([status]) => status ?? 1);
  const signal = (name: NodeJS.Signals) => {
    try {
      // Signals the whole group, since processes that wrangler started may outlive it.
      process.kill(-group, name);
    } catch {
      // The group is already empty.
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

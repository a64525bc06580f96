import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { environment, root } from "./npm.ts";
import { processTree } from "./processes.ts";

/** A service that `npm run dev` has started. */
export interface DevService {
  address: string;
  /** The output so far. */
  output(): string;
  /** Sends Ctrl-C as a terminal does: to npm and every process in the foreground process group. */
  interrupt(): void;
  /** Resolves to the exit status once the service has ended. */
  ended: Promise<number | null>;
  /** Returns the ids of all of its processes. */
  processes(): Promise<number[]>;
}

/** Returns a TCP port that is currently free. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = Object(server.address());
  server.close();
  await once(server, "close");
  return port;
}

/** Starts `npm run dev`, and resolves once the output says that it is ready. */
export async function startDevService(
  folder: string,
  port: number,
  options: readonly string[] = [],
): Promise<DevService> {
  const npm = spawn("npm", ["run", "dev", "--", ...options], {
    cwd: root,
    env: environment({ PORT: String(port), DATA_FOLDER: folder }),
    stdio: ["ignore", "pipe", "pipe"],
    // A separate process group, like a terminal's foreground group.
    detached: true,
  });
  const pid = npm.pid ?? 0;
  let output = "";
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  const ended = once(npm, "close").then(([status]) => status);
  let hasEnded = false;
  ended.then(() => {
    hasEnded = true;
  });
  while (!output.includes("Ctrl-C stops everything.")) {
    if (hasEnded) {
      throw new Error(`npm run dev has ended:\n${output}`);
    }
    await sleep(20);
  }
  return {
    address: `http://localhost:${port}`,
    output: () => output,
    interrupt: () => process.kill(-pid, "SIGINT"),
    ended,
    processes: () => processTree(pid),
  };
}

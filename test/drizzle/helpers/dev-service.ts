import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { environment, root } from "./npm.ts";
import { processTree } from "./processes.ts";

/** A service that `npm run dev` has started. */
export interface DevService {
  address: string;
  /** What it has printed so far. */
  output(): string;
  /** Ctrl-C: as a terminal does, to npm and all that runs in the foreground. */
  interrupt(): void;
  /** Resolves to the exit status, once it has ended. */
  ended: Promise<number | null>;
  /** The ids of all its processes. */
  processes(): Promise<number[]>;
}

/** A TCP port that is free at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = Object(server.address());
  server.close();
  await once(server, "close");
  return port;
}

/** Starts `npm run dev`, and resolves when it says that it is ready. */
export async function startDevService(
  folder: string,
  port: number,
  options: readonly string[] = [],
): Promise<DevService> {
  const npm = spawn("npm", ["run", "dev", "--", ...options], {
    cwd: root,
    env: environment({ PORT: String(port), DATA_FOLDER: folder }),
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, like that of a terminal's foreground.
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

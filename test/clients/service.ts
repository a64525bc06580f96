import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** How long a program may take until it answers, in milliseconds. */
const patienceMs = 120_000;

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") {
    throw new Error("there is no free port");
  }
  return address.port;
}

/**
 * Starts a program and waits until it answers at a URL.
 * @returns what stops it
 */
export async function start(
  command: string,
  options: string[],
  { url, env = {} }: { url: string; env?: Record<string, string> },
): Promise<() => Promise<void>> {
  const program = spawn(command, options, {
    cwd: join(import.meta.dirname, "../.."),
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: string[] = [];
  program.stdout.on("data", (text) => output.push(String(text)));
  program.stderr.on("data", (text) => output.push(String(text)));
  const ended = new Promise<void>((resolve) => program.once("exit", () => resolve()));
  const deadline = Date.now() + patienceMs;
  while (!(await answers(url))) {
    if (Date.now() > deadline || program.exitCode !== null) {
      program.kill();
      throw new Error(`${command} does not answer:\n${output.join("")}`);
    }
    await sleep(200);
  }
  return async () => {
    program.kill("SIGTERM");
    await ended;
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    await fetch(url);
    return true;
  } catch {
    return false;
  }
}

/** Starts the service as `npm run dev` does, with the demo data, in a folder of its own. */
export async function startService() {
  const folder = await mkdtemp(join(tmpdir(), "inventory-"));
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const stop = await start("node", ["drizzle/dev.ts"], {
    url: `${address}/api/health/ready`,
    env: { PORT: String(port), DATA_FOLDER: folder },
  });
  return {
    address,
    async stop() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

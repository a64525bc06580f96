import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Maximum time until a program responds, in milliseconds. */
const patienceMs = 120_000;

/** Returns a port on which no program listens. */
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
 * Starts a program and waits until it responds at a URL and has printed the given text.
 * @returns a function that stops it
 */
export async function start(
  command: string,
  options: string[],
  {
    url,
    text = "",
    env = {},
    folder = join(import.meta.dirname, "../.."),
  }: { url: string; text?: string; env?: Record<string, string>; folder?: string },
): Promise<() => Promise<void>> {
  const program = spawn(command, options, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: string[] = [];
  for (const stream of [program.stdout, program.stderr]) {
    stream.setEncoding("utf8").on("data", (printed) => output.push(printed));
  }
  const ended = new Promise<void>((resolve) => program.once("exit", () => resolve()));
  const deadline = Date.now() + patienceMs;
  while (!(await answers(url)) || !output.join("").includes(text)) {
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

/**
 * Starts the service as `npm run dev` does, with the demo data, in its own folder.
 * @param env additional environment variables
 */
export async function startService(env: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), "inventory-"));
  const port = await freePort();
  const address = `http://localhost:${port}`;
  const stop = await start("node", ["drizzle/dev.ts"], {
    url: `${address}/api/health/ready`,
    // The demo daemons are provisioned once the service responds.
    text: "Ctrl-C stops everything.",
    env: { ...env, PORT: String(port), DATA_FOLDER: folder },
  });
  return {
    address,
    folder,
    async stop() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

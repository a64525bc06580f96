import { createServer } from "node:net";
import type { Running } from "../local/running.ts";

/**
 * Checks that the Worker can listen on a TCP port of 127.0.0.1.
 * @param earlier the announcement that an earlier service did not withdraw
 * @throws if the value is not a port number, or if the port is taken
 */
export async function requireFreePort(port: string, earlier: Running | null): Promise<void> {
  if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65_535) {
    throw new Error(`PORT must be a number from 1 to 65535, not ${port}.`);
  }
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", () => {
      const leftover = earlier?.port === port && isRunning(earlier.workerGroup);
      reject(
        new Error(
          leftover
            ? `Port ${port} is still held by the Worker of an earlier npm run dev. If that is no ` +
                `longer running, end its Worker: kill -KILL -- -${earlier.workerGroup}`
            : `Port ${port} is not free. Stop what uses it, or choose another one; a second npm run dev also ` +
                "needs a folder of its own: PORT=8788 DATA_FOLDER=.local-2 npm run dev",
        ),
      );
    });
    server.listen(Number(port), "127.0.0.1", () => server.close(() => resolve()));
  });
}

/** True if a process group still contains a process. */
function isRunning(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

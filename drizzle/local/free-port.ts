import { createServer } from "node:net";

/**
 * Makes sure that the Worker can have a TCP port on 127.0.0.1.
 * @throws when it is no port, or something else has it
 */
export async function requireFreePort(port: string): Promise<void> {
  if (!/^[1-9]\d{0,4}$/.test(port) || Number(port) > 65_535) {
    throw new Error(`PORT must be a number from 1 to 65535, not ${port}.`);
  }
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", () =>
      reject(new Error(`Port ${port} is not free. Choose another one: PORT=8788 npm run dev`)),
    );
    server.listen(Number(port), "127.0.0.1", () => server.close(() => resolve()));
  });
}

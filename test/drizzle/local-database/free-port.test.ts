import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requireFreePort } from "../../../drizzle/dev/free-port.ts";

const earlier = {
  endpoint: "http://127.0.0.1:1/sql",
  connectionString: "postgresql://local:x@localhost/inventory",
  demoDaemons: "http://127.0.0.1:1",
};

describe("a port that is taken", () => {
  const holder = createServer();
  let port = "";
  beforeAll(async () => {
    holder.listen(0, "127.0.0.1");
    await once(holder, "listening");
    port = String(Object(holder.address()).port);
  });
  afterAll(() => holder.close());

  it("causes an error that names the command for ending an earlier service's processes", async () => {
    const leftover = spawn("sleep", ["60"], { detached: true });
    const workerGroup = leftover.pid ?? 0;
    await expect(requireFreePort(port, { ...earlier, port, workerGroup })).rejects.toThrow(
      `kill -KILL -- -${workerGroup}`,
    );
    await expect(requireFreePort(port, { ...earlier, port: "1", workerGroup })).rejects.toThrow(
      `Port ${port} is not free.`,
    );
    const exited = once(leftover, "exit");
    process.kill(-workerGroup, "SIGKILL");
    await exited;
    await expect(requireFreePort(port, { ...earlier, port, workerGroup })).rejects.toThrow(
      `Port ${port} is not free.`,
    );
  });
});

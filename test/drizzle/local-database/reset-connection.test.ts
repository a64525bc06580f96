import { once } from "node:events";
import { createServer } from "node:net";
import { neon, neonConfig } from "@neondatabase/serverless";
import { expect, it } from "vitest";
import { startLocalDatabase } from "../../../drizzle/local/server.ts";

/** The messages "Authentication succeeded" and "ready for a query" in the Postgres protocol. */
const welcome = Buffer.from("R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I", "latin1");

it("the error of a reset connection has no SQLSTATE", async () => {
  const crashing = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(welcome);
      socket.once("data", () => socket.resetAndDestroy());
    });
  });
  crashing.listen(0, "127.0.0.1");
  await once(crashing, "listening");
  const address = crashing.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const database = await startLocalDatabase({
    databaseUrl: `postgresql://somebody@127.0.0.1:${port}/nothing`,
  });
  neonConfig.fetchEndpoint = database.endpoint;
  const sql = neon(database.connectionString);
  await expect(sql`select 1`).rejects.toMatchObject({
    message: "read ECONNRESET",
    code: undefined,
  });
  await database.close();
  crashing.close();
});

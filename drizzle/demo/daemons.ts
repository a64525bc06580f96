import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { and, eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import type pg from "pg";
import { KeyRing, tokenPlace } from "../../src/database/sealing.ts";
import { daemonSecrets, daemons } from "../../src/database/tables/index.ts";
import { parseSealingKeys } from "../../src/env.ts";
import demo from "../demo.json" with { type: "json" };
import { demoSealingKeys } from "./sealing-keys.ts";

/** The token that the service presents to demo daemons. */
export const demoDaemonToken = "demo-daemon-token";

/** Running demo daemons, and the port that controls them. */
export interface DemoDaemons {
  /** The base URL of `POST /{name}/stop` and `POST /{name}/start`. */
  control: string;
  /** Stores the daemons' URLs, and their tokens sealed for these. */
  register(client: pg.PoolClient): Promise<void>;
  close(): void;
}

/** Starts a small HTTP server per demo daemon; each responds to the poller like a real one. */
export async function startDemoDaemons(): Promise<DemoDaemons> {
  const servers = new Map<string, { server: Server; port: number }>();
  for (const { name } of demo.daemons) {
    const server = createServer((request, response) => {
      const isPoll =
        request.url === "/api/status" &&
        request.headers.authorization === `Bearer ${demoDaemonToken}`;
      const data = { version: "0.14.2", name, mode: "server_poll", ready_for_work: true };
      response.writeHead(isPoll ? 200 : 401, { "Content-Type": "application/json" });
      response.end(JSON.stringify(isPoll ? { success: true, data } : { success: false }));
    });
    servers.set(name, { server, port: await listen(server, 0) });
  }
  const control = createServer(async (request, response) => {
    const [, name = "", verb] = /^\/([\w-]+)\/(stop|start)$/.exec(request.url ?? "") ?? [];
    const daemon = servers.get(name);
    if (request.method !== "POST" || !daemon) {
      response.writeHead(404).end();
      return;
    }
    if (verb === "stop") {
      daemon.server.close();
      daemon.server.closeAllConnections();
    } else if (!daemon.server.listening) {
      await listen(daemon.server, daemon.port);
    }
    response.writeHead(204).end();
  });
  const controlPort = await listen(control, 0);
  return {
    control: `http://127.0.0.1:${controlPort}`,
    async register(client) {
      const ring = new KeyRing(parseSealingKeys(demoSealingKeys));
      for (const { id, name } of demo.daemons) {
        const url = `http://127.0.0.1:${servers.get(name)?.port}`;
        const sealed = await ring.seal(demoDaemonToken, tokenPlace(id, url));
        const database = drizzle({ client });
        await database.update(daemons).set({ url }).where(eq(daemons.id, id));
        await database
          .update(daemonSecrets)
          .set({ sealed })
          .where(and(eq(daemonSecrets.daemon_id, id), eq(daemonSecrets.field, "token")));
      }
    },
    close() {
      for (const server of [control, ...[...servers.values()].map(({ server }) => server)]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address: AddressInfo | string | null = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

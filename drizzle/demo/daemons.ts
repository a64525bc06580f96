import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { and, eq } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import type pg from "pg";
import { KeyRing, tokenPlace } from "../../src/database/sealing.ts";
import { daemonSecrets, daemons } from "../../src/database/tables/index.ts";
import { parseSealingKeys } from "../../src/env.ts";
import demo from "../demo.json" with { type: "json" };
import { type DaemonResponse, PretendedDaemon } from "./pretended-daemon.ts";
import { listeningNetwork } from "./pretended-network.ts";
import { demoSealingKeys } from "./sealing-keys.ts";

/** The token that the service presents to demo daemons. */
export const demoDaemonToken = "demo-daemon-token";

/** Running demo daemons, and the port that controls them. */
export interface DemoDaemons {
  /** The base URL of `POST /{daemons|services}/{name}/{stop|start}`. */
  control: string;
  /** Stores the daemons' URLs, and their tokens sealed for these. */
  register(client: pg.PoolClient): Promise<void>;
  close(): void;
}

/** Starts a small HTTP server per demo daemon; each responds to the poller like a real one. */
export async function startDemoDaemons(): Promise<DemoDaemons> {
  const servers = new Map<string, { server: Server; port: number }>();
  const stopped = new Set<string>();
  for (const { name, network } of demo.daemons) {
    const daemon = new PretendedDaemon({
      name,
      network_id: demo.networks.find((one) => one.name === network)?.id ?? "",
      network: () => listeningNetwork(name, stopped),
    });
    const server = createServer((request, response) => serve(daemon, request, response));
    servers.set(name, { server, port: await listen(server, 0) });
  }
  const switchService = (name: string, verb: string | undefined) => {
    if (verb === "stop") {
      stopped.add(name);
    } else {
      stopped.delete(name);
    }
  };
  const switchDaemon = async (name: string, verb: string | undefined) => {
    const daemon = servers.get(name);
    if (verb === "stop") {
      daemon?.server.close();
      daemon?.server.closeAllConnections();
    } else if (daemon && !daemon.server.listening) {
      await listen(daemon.server, daemon.port);
    }
  };
  const control = createServer(async (request, response) => {
    const [, kind, name = "", verb] =
      /^\/(daemons|services)\/([\w-]+)\/(stop|start)$/.exec(request.url ?? "") ?? [];
    if (request.method === "POST" && kind === "daemons" && servers.has(name)) {
      await switchDaemon(name, verb);
    } else if (request.method === "POST" && kind === "services") {
      switchService(name, verb);
    } else {
      response.writeHead(404).end();
      return;
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
        const organization_id = demo.organization.id;
        const sealed = await ring.seal(demoDaemonToken, tokenPlace(organization_id, id, url));
        const database = drizzle({ client });
        await database
          .update(daemons)
          .set({ url })
          .where(and(eq(daemons.organization_id, organization_id), eq(daemons.id, id)));
        await database
          .update(daemonSecrets)
          .set({ sealed })
          .where(
            and(
              eq(daemonSecrets.organization_id, organization_id),
              eq(daemonSecrets.daemon_id, id),
              eq(daemonSecrets.field, "token"),
            ),
          );
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

/** Responds to one request in the name of a daemon. */
async function serve(
  daemon: PretendedDaemon,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [, path] = /^\/api\/([\w/-]+)$/.exec(request.url ?? "") ?? [];
  const isKnown = request.headers.authorization === `Bearer ${demoDaemonToken}`;
  const result: DaemonResponse = isKnown
    ? daemon.respond(`${request.method} ${path}`, parse(await text(request)))
    : { status: 401, refusal: "Unauthorized" };
  const isData = "data" in result;
  response.writeHead(result.status, { "Content-Type": isData ? "application/json" : "text/plain" });
  response.end(isData ? JSON.stringify({ success: true, data: result.data }) : result.refusal);
}

/** What is posted; undefined where that is not JSON. */
function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address: AddressInfo | string | null = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

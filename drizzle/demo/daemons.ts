import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import demo from "../demo.json" with { type: "json" };
import type { DaemonConfigurations } from "./daemon-configurations.ts";
import { type DaemonResponse, PretendedDaemon } from "./pretended-daemon.ts";
import { listeningNetwork } from "./pretended-network.ts";
import { networkOf } from "./records.ts";

/** A listening demo daemon. */
export interface DemoDaemon {
  readonly id: string;
  readonly name: string;
  readonly network_id: string;
  readonly port: number;
  /**
   * The key that the service must send; null until the daemon has been provisioned for its port.
   */
  key: string | null;
}

/** Running demo daemons, and the port that controls them. */
export interface DemoDaemons {
  /** The base URL for `POST /{daemons|services}/{name}/{stop|start}`. */
  readonly control: string;
  readonly daemons: readonly DemoDaemon[];
  close(): void;
}

/**
 * Starts a small HTTP server for each demo daemon, which responds to the poller like a real daemon.
 * A daemon listens on the port from its configuration. If another program uses that port, the
 * daemon uses any free port, and does not have a key for that port yet.
 */
export async function startDemoDaemons(configurations: DaemonConfigurations): Promise<DemoDaemons> {
  const running = new Map<string, { server: Server; daemon: DemoDaemon }>();
  const stopped = new Set<string>();
  for (const { id, name, network } of demo.daemons) {
    const network_id = networkOf(network);
    const pretended = new PretendedDaemon({
      name,
      network_id,
      network: () => listeningNetwork(name, stopped),
    });
    const server = createServer((request, response) =>
      serve(pretended, running.get(name)?.daemon.key ?? null, request, response),
    );
    const kept = configurations.get(name);
    const port = await listen(server, kept?.port ?? 0).catch(() => listen(server, 0));
    const key = kept?.port === port ? kept.key : null;
    running.set(name, { server, daemon: { id, name, network_id, port, key } });
  }
  const switchService = (name: string, verb: string | undefined) => {
    if (verb === "stop") {
      stopped.add(name);
    } else {
      stopped.delete(name);
    }
  };
  const switchDaemon = async (name: string, verb: string | undefined) => {
    const { server, daemon } = running.get(name) ?? {};
    if (verb === "stop") {
      server?.close();
      server?.closeAllConnections();
    } else if (server && !server.listening) {
      await listen(server, daemon?.port ?? 0);
    }
  };
  const control = createServer(async (request, response) => {
    const [, kind, name = "", verb] =
      /^\/(daemons|services)\/([\w-]+)\/(stop|start)$/.exec(request.url ?? "") ?? [];
    let status = 204;
    if (request.method === "POST" && kind === "daemons" && running.has(name)) {
      // Another program may be using the port of a stopped daemon.
      await switchDaemon(name, verb).catch(() => {
        status = 409;
      });
    } else if (request.method === "POST" && kind === "services") {
      switchService(name, verb);
    } else {
      status = 404;
    }
    response.writeHead(status).end();
  });
  const controlPort = await listen(control, 0);
  return {
    control: `http://127.0.0.1:${controlPort}`,
    daemons: [...running.values()].map(({ daemon }) => daemon),
    close() {
      for (const server of [control, ...[...running.values()].map(({ server }) => server)]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

/** Responds to one request, as a daemon with this key. */
async function serve(
  daemon: PretendedDaemon,
  key: string | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [, path] = /^\/api\/([\w/-]+)$/.exec(request.url ?? "") ?? [];
  const isKnown = key !== null && request.headers.authorization === `Bearer ${key}`;
  const result: DaemonResponse = isKnown
    ? daemon.respond(`${request.method} ${path}`, parse(await text(request)))
    : { status: 401, refusal: "Unauthorized" };
  const isData = "data" in result;
  response.writeHead(result.status, { "Content-Type": isData ? "application/json" : "text/plain" });
  response.end(isData ? JSON.stringify({ success: true, data: result.data }) : result.refusal);
}

/** Parses a JSON body; undefined if it is invalid. */
function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Listens on the given TCP port on 127.0.0.1, or on any free port if it is 0. Returns the port. */
async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address: AddressInfo | string | null = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { Behavior, SeenRequest } from "./daemon-behavior.ts";

/**
 * A server on a local port that simulates daemons. `{address}/{name}` is the URL of a daemon, which
 * is healthy by default.
 */
export interface DaemonFarm {
  /**
   * Also accepts `PUT /{name}` (sets the behavior), `GET /{name}` (returns the requests so far)
   * and `POST /{name}/release`, which responds to held requests with the behavior in its body.
   */
  address: string;
  /** An address that refuses connections. */
  refusing: string;
  close(): void;
}

const healthy: Behavior = {
  kind: "answer",
  body: JSON.stringify({
    success: true,
    data: { version: "0.14.2", name: "farm", mode: "server_poll", ready_for_work: true },
  }),
};

class Daemon {
  behavior = healthy;
  readonly requests: SeenRequest[] = [];
  readonly held: ServerResponse[] = [];
}

/** Starts the farm. */
export async function startDaemonFarm(): Promise<DaemonFarm> {
  const daemons = new Map<string, Daemon>();
  const server = createServer(async (request, response) => {
    const [, name = "", rest = ""] = /^\/([\w-]+)(.*)$/.exec(request.url ?? "") ?? [];
    const daemon = daemons.get(name) ?? new Daemon();
    daemons.set(name, daemon);
    if (request.method === "PUT") {
      daemon.behavior = JSON.parse(await text(request));
      response.end();
    } else if (request.method === "POST" && rest === "/release") {
      const body = await text(request);
      const behavior: Behavior = body === "" ? healthy : JSON.parse(body);
      for (const held of daemon.held.splice(0)) {
        play(behavior, held);
      }
      response.end();
    } else if (rest === "") {
      response.end(JSON.stringify(daemon.requests));
    } else {
      await pollDaemon(daemon, request, response);
    }
  });
  const address = await listen(server);
  const closed = createServer();
  const refusing = await listen(closed);
  closed.close();
  return {
    address,
    refusing,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function pollDaemon(
  daemon: Daemon,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method, url: path = "" } = request;
  const body = await text(request);
  const { authorization } = request.headers;
  const signed = Object.entries(request.headers).flatMap(([name, value]) =>
    name.startsWith("webhook-") ? [[name, String(value)] as const] : [],
  );
  daemon.requests.push({
    method,
    path,
    authorization,
    ...(body !== "" && { body }),
    ...(signed.length > 0 && { signed: Object.fromEntries(signed) }),
  });
  const route = path.replace(/^.*?\/api\//, "");
  const { behavior } = daemon;
  if (behavior.kind === "routes") {
    play(behavior.routes[route] ?? healthy, response);
  } else if (behavior.kind !== "hold") {
    play(behavior, response);
  } else if (route === "status" || route === path) {
    daemon.held.push(response);
  } else {
    play(healthy, response);
  }
}

function play(behavior: Behavior, response: ServerResponse): void {
  switch (behavior.kind) {
    case "answer": {
      const { status = 200, headers = {}, body = "" } = behavior;
      response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(body);
      break;
    }
    case "raw":
      response.socket?.end(behavior.text);
      break;
    case "drip": {
      const dripping = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(dripping));
      break;
    }
    case "stall":
      response.write(behavior.body);
      break;
    case "flood": {
      const flood = () => {
        while (response.write(" ".repeat(16 * 1024)));
      };
      response.on("drain", flood);
      flood();
      break;
    }
    case "cut":
      response.write('{"success":true,');
      setTimeout(() => response.destroy(), 20);
      break;
    default:
      break;
  }
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : address}`;
}

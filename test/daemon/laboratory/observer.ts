import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";

/** A request from the service to a daemon, and the response. */
export interface Exchange {
  path: string;
  request: unknown;
  response: unknown;
}

/**
 * A proxy between the service and a daemon. It does not change anything, and records all exchanges.
 */
export interface Observer {
  url: string;
  exchanges: Exchange[];
  close(): void;
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/**
 * Starts an observer.
 * @param target the daemon's address
 */
export async function observe(target: string): Promise<Observer> {
  const exchanges: Exchange[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    try {
      const path = request.url ?? "/";
      const body = await buffer(request);
      const { authorization, "content-type": type } = request.headers;
      const answer = await fetch(target + path, {
        method: request.method ?? "GET",
        headers: {
          ...(authorization !== undefined && { authorization }),
          ...(type !== undefined && { "content-type": type }),
        },
        ...(body.length > 0 && { body }),
      });
      const text = await answer.text();
      exchanges.push({ path, request: parsed(body.toString()), response: parsed(text) });
      response
        .writeHead(answer.status, {
          "content-type": answer.headers.get("content-type") ?? "text/plain",
        })
        .end(text);
    } catch {
      // Behaves like a daemon that is not running.
      response.destroy();
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${Object(server.address()).port}`,
    exchanges,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

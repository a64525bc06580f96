import type { IncomingMessage, ServerResponse } from "node:http";
import { readBody, send } from "./http.ts";
import { ProxyError } from "./neon-protocol.ts";
import { type Probes, parseProbeSettings } from "./probes.ts";

const paths = /^\/probes\/([^/?]+)$/;

/** Answers `GET`, `PUT` and `DELETE /probes/{label}`; resolves to false for any other path. */
export async function handleProbe(
  probes: Probes,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const encoded = paths.exec(request.url ?? "")?.[1];
  if (encoded === undefined) {
    return false;
  }
  const label = decodeURIComponent(encoded);
  switch (request.method) {
    case "DELETE":
      probes.delete(label);
      response.writeHead(204).end();
      return true;
    case "PUT": {
      const parsed = parseProbeSettings(JSON.parse((await readBody(request)).toString("utf8")));
      if ("issues" in parsed) {
        throw new ProxyError(400, parsed.issues);
      }
      probes.get(label).set(parsed.settings);
      break;
    }
    case "GET":
      break;
    default:
      throw new ProxyError(405, "method not allowed");
  }
  send(response, 200, "application/json", JSON.stringify(probes.get(label).counts));
  return true;
}

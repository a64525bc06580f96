import { once } from "node:events";
import type { ServerResponse } from "node:http";
import pg from "pg";
import { send } from "./http.ts";
import { errorBody } from "./neon-protocol.ts";
import type { Fault } from "./probes.ts";

/** A fault that replaces the answer. */
export type Replacement = Exclude<Fault, { kind: "none" | "lost_answer" }>;

const answer = '{"rowAsArray":true,"fields":[],"rows":[],"command":"SELECT","rowCount":0}';
const half = answer.slice(0, answer.length / 2);

/** Gives the caller the fault in place of an answer. */
export async function playFault(
  fault: Replacement,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  switch (fault.kind) {
    case "hang":
      if (!signal.aborted) {
        await once(signal, "abort");
      }
      return;
    case "refuse":
      response.destroy();
      return;
    case "status":
      send(response, fault.status, "text/plain", fault.body ?? `injected ${fault.status}`);
      return;
    case "sqlstate": {
      const error = new pg.DatabaseError(fault.message, fault.message.length, "error");
      error.code = fault.code;
      error.severity = "ERROR";
      send(response, 400, "application/json", errorBody(error));
      return;
    }
    case "truncate":
      response.writeHead(200, {
        "content-type": "application/json",
        "content-length": answer.length,
      });
      response.write(half, () => response.destroy());
      return;
    case "cut_body":
      send(response, 200, "application/json", half);
      return;
    case "not_json":
      send(response, 200, "text/html", "<!doctype html><title>Bad gateway</title>");
      return;
  }
}

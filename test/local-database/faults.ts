import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Fault } from "./probes.ts";

/** A fault that replaces the database's response. */
export type Replacement = Exclude<Fault, { kind: "none" | "lost_answer" | "cut_results" }>;

const whole = '{"rowAsArray":true,"fields":[],"rows":[],"command":"SELECT","rowCount":0}';
const half = whole.slice(0, whole.length / 2);

const json = { "content-type": "application/json" };

/** Sends the fault instead of a response. */
export async function playFault(fault: Replacement, response: ServerResponse): Promise<void> {
  switch (fault.kind) {
    case "hang":
      if (!response.destroyed) {
        await once(response, "close");
      }
      return;
    case "refuse":
      response.destroy();
      return;
    case "status":
      response.writeHead(fault.status, { "content-type": "text/plain" });
      response.end(fault.body ?? `injected ${fault.status}`);
      return;
    case "sqlstate": {
      const { code, message } = fault;
      response.writeHead(400, json).end(JSON.stringify({ message, code, severity: "ERROR" }));
      return;
    }
    case "truncate":
      response.writeHead(200, { ...json, "content-length": whole.length });
      response.write(half, () => response.destroy());
      return;
    case "cut_body":
      response.writeHead(200, json).end(half);
      return;
    case "not_json":
      response.writeHead(200, { "content-type": "text/html" });
      response.end("<!doctype html><title>Bad gateway</title>");
      return;
  }
}

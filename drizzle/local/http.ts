import type { IncomingMessage, ServerResponse } from "node:http";
import { MAX_BODY_BYTES, ProxyError } from "./neon-protocol.ts";

/** Reads to the end even when it is too much: a client that is still sending hears no answer. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) {
      chunks.push(chunk);
    }
  }
  if (bytes > MAX_BODY_BYTES) {
    throw new ProxyError(413, `request is too large (max is ${MAX_BODY_BYTES} bytes)`);
  }
  return Buffer.concat(chunks, bytes);
}

/** Sends a complete response, unless the caller is gone. */
export function send(
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string,
): void {
  if (response.destroyed) {
    return;
  }
  const bytes = Buffer.from(body);
  response.writeHead(status, { "content-type": contentType, "content-length": bytes.length });
  response.end(bytes);
}

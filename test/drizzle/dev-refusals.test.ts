import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import demo from "../../drizzle/demo.json" with { type: "json" };
import { type DevService, freePort, startDevService } from "./helpers/dev-service.ts";
import { makeFolder, type TestFolder } from "./helpers/folders.ts";

let folder: TestFolder;
let port: number;
let service: DevService;

beforeAll(async () => {
  folder = await makeFolder();
  port = await freePort();
  service = await startDevService(folder.path, port);
}, 120_000);
afterAll(async () => {
  service.interrupt();
  await service.ended;
  await folder.remove();
});

/** A request without its path. */
interface Sending {
  method?: string;
  headers: readonly string[];
  /** The number of spaces in the body. */
  bytes: number;
  isChunked?: boolean;
}

const piece = Buffer.alloc(64 * 1024, " ");

/** Matches a complete response, in the envelope. */
const complete = /^HTTP\/1\.1 \d+ .*"meta":\{.*\}\}/s;

/**
 * Sends a request over a raw socket, so that no HTTP client alters it, while reading the response.
 * Returns the response, or as much of it as was received.
 */
async function send(path: string, { method = "POST", headers, bytes, isChunked }: Sending) {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const socket = connect(port, "127.0.0.1");
  let answer = "";
  socket.on("data", (data) => {
    answer += data;
    if (complete.test(answer)) {
      end();
    }
  });
  // A broken connection leaves an incomplete response.
  socket.on("error", () => {});
  socket.on("close", () => end());
  const length = isChunked ? "Transfer-Encoding: chunked" : `Content-Length: ${bytes}`;
  const head = ["Host: localhost", length, ...headers];
  socket.write(`${method} ${path} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n`);
  for (let left = bytes; left > 0; left -= piece.length) {
    const part = piece.subarray(0, left);
    const framed = isChunked ? [`${part.length.toString(16)}\r\n`, part, "\r\n"] : [part];
    for (const each of framed) {
      socket.write(each);
    }
  }
  if (isChunked) {
    socket.write("0\r\n\r\n");
  }
  await ended;
  socket.destroy();
  return answer;
}

const json = "Content-Type: application/json";
const owner = `Authorization: Bearer ${demo.keys.owner}`;
const megabytes = 5 * 1024 * 1024;

describe("npm run dev", () => {
  it.each([
    ["without a key", [json], 401, "auth_not_authenticated"],
    ["with a bad key", [json, "Authorization: Bearer bad"], 401, "auth_not_authenticated"],
    [
      "with a different media type",
      ["Content-Type: text/plain", owner],
      415,
      "unsupported_media_type",
    ],
    ["over the limit", [json, owner], 413, "request_too_large"],
  ] as const)(
    "sends a complete error response to a large body %s, whatever the transfer encoding",
    async (_, headers, status, code) => {
      for (const isChunked of [true, false]) {
        for (let round = 1; round <= 15; round++) {
          const answer = await send("/api/v1/tags", { headers, bytes: megabytes, isChunked });
          expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
          expect(answer).toContain(code);
          expect(answer).toMatch(complete);
        }
      }
    },
  );

  it("ignores an empty conditional header, like the runtime, and rejects an empty Idempotency-Key", async () => {
    const path = `/api/v1/daemons/${demo.daemons[0]?.id}`;
    const read = await send(path, { method: "GET", headers: [owner, "If-None-Match:"], bytes: 0 });
    expect(read).toMatch(/^HTTP\/1\.1 200 /);
    const headers = [json, owner, "Idempotency-Key:"];
    const created = await send("/api/v1/tags", { headers, bytes: 0 });
    expect(created).toMatch(/^HTTP\/1\.1 400 /);
  });
});

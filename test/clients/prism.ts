import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import demo from "../../drizzle/demo.json" with { type: "json" };
import { callFiveOperations, provokeFailures } from "./five-operations.ts";
import { freePort, start, startService } from "./service.ts";

let service: Awaited<ReturnType<typeof startService>>;
let stopProxy: () => Promise<void>;
let proxy: string;

// With --errors, the proxy returns an error if a response does not match the OpenAPI document.
before(async () => {
  service = await startService();
  const port = await freePort();
  proxy = `http://127.0.0.1:${port}`;
  stopProxy = await start(
    `${import.meta.dirname}/node_modules/.bin/prism`,
    [
      ...["proxy", `${service.address}/openapi.json`, service.address],
      ...["--errors", "--port", String(port)],
    ],
    { url: proxy },
  );
});
after(async () => {
  await stopProxy();
  await service.stop();
});

/**
 * Prism strips the quotes from a body that is a single JSON string, so such a body is quoted twice.
 */
async function send(request: Request): Promise<Response> {
  const body = await request.clone().text();
  return fetch(
    body.startsWith('"') ? new Request(request, { body: JSON.stringify(body) }) : request,
  );
}

test("a validating proxy accepts the requests and responses of the five operations", () =>
  callFiveOperations(proxy, send));

test("a validating proxy accepts failure responses", () => provokeFailures(proxy, send));

test("the proxy rejects requests that the document does not allow", async () => {
  const answer = await fetch(`${proxy}/api/v1/credentials?limit=1001`, {
    headers: { Authorization: `Bearer ${demo.keys.viewer}` },
  });
  assert.equal(answer.status, 422);
});

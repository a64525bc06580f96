import { expect, test } from "vitest";
import { mintApiKey } from "../../src/api-key.ts";
import { failed, seen, standardHeaders } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";

const common = {
  "x-content-type-options": "nosniff",
  "x-request-id": standardHeaders["x-request-id"],
};

test("the reference allows only resources that the service serves", async () => {
  const answer = await openApi().send("GET", "/docs");
  expect(seen(answer)).toMatchObject({
    status: 200,
    headers: { ...common, "cache-control": "no-store", "content-type": "text/html; charset=UTF-8" },
  });
  const policy = answer.headers.get("Content-Security-Policy") ?? "";
  expect(policy).toContain("default-src 'none'; script-src 'self';");
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
  expect(answer.text).not.toMatch(/https?:|<script>|\son\w+=/);
});

test("the reference contains the demo key in development", async () => {
  const key = mintApiKey();
  const { text } = await openApi({ DEMO_API_KEY: key }).send("GET", "/docs");
  expect(text).toContain(`data-key="${key}"`);
  expect((await openApi().send("GET", "/docs")).text).toContain('data-key=""');
});

test("the key is escaped in the page", async () => {
  const { text } = await openApi({ DEMO_API_KEY: '"><script>' }).send("GET", "/docs");
  expect(text).not.toContain("<script>");
});

test("without JavaScript, the reference links to the document and the start page", async () => {
  const { text } = await openApi().send("GET", "/docs");
  const [, withoutScript = ""] = /<noscript>(.*?)<\/noscript>/s.exec(text) ?? [];
  expect(withoutScript).toContain('href="/openapi.json"');
  expect(withoutScript).toContain('href="/"');
});

test.each([
  "/openapi.json",
  "/docs/start.js",
  "/docs/scalar.js",
  "/docs/home.css",
  "/docs/reference.css",
  "/docs/icon.svg",
])("%s can be cached and revalidated", async (path) => {
  const api = openApi();
  const answer = await api.send("GET", path);
  expect({ status: answer.status, headers: Object.fromEntries(answer.headers) }).toMatchObject({
    status: 200,
    headers: {
      ...common,
      "cache-control": "public, max-age=0, must-revalidate",
      etag: expect.stringMatching(/^"\w+"$/),
    },
  });
  const headers = { "If-None-Match": answer.headers.get("ETag") ?? "" };
  const again = await api.send("GET", path, { headers });
  expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: "" });
  expect(again.headers.get("X-Request-Id")).not.toBe(answer.headers.get("X-Request-Id"));
});

test.each([
  "/home.html",
  "/docs/nothing.js",
  "/docs/openapi.json",
  "/docs/%2e%2e/openapi.json5",
  "/scalar.js",
])("%s is an unknown path and returns an error in the envelope", async (path) => {
  const answer = await openApi().send("GET", path);
  expect(seen(answer)).toEqual(
    failed("route_not_found", { method: "GET", path: expect.any(String) }),
  );
});

test("the pages reject methods other than GET", async () => {
  for (const path of ["/", "/docs", "/openapi.json", "/docs/start.js"]) {
    const answer = await openApi().send("POST", path);
    expect(seen(answer)).toEqual(
      failed("method_not_allowed", { method: "POST", allowed: ["GET", "HEAD"] }),
    );
  }
});

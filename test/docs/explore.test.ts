import { expect, test } from "vitest";
import { mintApiKey } from "../../src/api-key.ts";
import { failed, seen, standardHeaders } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";

test("the page allows only resources that the service serves, and nothing inline", async () => {
  const answer = await openApi().send("GET", "/explore");
  expect(seen(answer)).toMatchObject({
    status: 200,
    headers: {
      "x-content-type-options": "nosniff",
      "x-request-id": standardHeaders["x-request-id"],
      "cache-control": "no-store",
      "content-type": "text/html; charset=UTF-8",
      "referrer-policy": "no-referrer",
    },
  });
  const policy = answer.headers.get("Content-Security-Policy") ?? "";
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
  expect(policy).toContain("require-trusted-types-for 'script'");
  expect(policy).not.toMatch(/https?:|\*|unsafe/);
  expect(answer.text).not.toMatch(/https?:|<script>|<style|\s(?:on\w+|style)=/);
});

test("the page contains the demo key in development", async () => {
  const key = mintApiKey();
  const { text } = await openApi({ DEMO_API_KEY: key }).send("GET", "/explore");
  expect(text).toContain(`data-key="${key}"`);
  expect((await openApi().send("GET", "/explore")).text).toContain('data-key=""');
});

test("the key is escaped in the page", async () => {
  const { text } = await openApi({ DEMO_API_KEY: '"><script>' }).send("GET", "/explore");
  expect(text).not.toContain("<script>");
});

test("page state in the URL does not change what is served", async () => {
  const api = openApi();
  const { text } = await api.send("GET", "/explore?host=1&q=%3Cscript%3E");
  expect(text).toBe((await api.send("GET", "/explore")).text);
});

test.each(["/explore/app.js", "/explore/explore.css"])(
  "%s can be cached and revalidated",
  async (path) => {
    const api = openApi();
    const answer = await api.send("GET", path);
    expect({ status: answer.status, headers: Object.fromEntries(answer.headers) }).toMatchObject({
      status: 200,
      headers: {
        "x-content-type-options": "nosniff",
        "cache-control": "public, max-age=0, must-revalidate",
        etag: expect.stringMatching(/^"\w+"$/),
      },
    });
    const headers = { "If-None-Match": answer.headers.get("ETag") ?? "" };
    expect((await api.send("GET", path, { headers })).status).toBe(304);
  },
);

test.each(["/explore/nothing.js", "/explore/main.tsx", "/explore/app.js/x"])(
  "%s is an unknown path and returns an error in the envelope",
  async (path) => {
    expect(seen(await openApi().send("GET", path))).toEqual(
      failed("route_not_found", { method: "GET", path }),
    );
  },
);

test("the page rejects methods other than GET", async () => {
  expect(seen(await openApi().send("POST", "/explore"))).toEqual(
    failed("method_not_allowed", { method: "POST", allowed: ["GET", "HEAD"] }),
  );
});

import { expect, test } from "vitest";
import { mintApiKey } from "../../src/api-key.ts";
import { failed, seen, standardHeaders } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { routes } from "../helpers/routes.ts";

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
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
  expect(policy).not.toMatch(/https?:|\*|unsafe/);
  expect(answer.text).not.toMatch(/(?:src|href)="(?!\/|#)|<script>|<style|\s(?:on\w+|style)=/);
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

test("the start page of the reference links to the page of each group, which has a form for each of its operations", async () => {
  const api = openApi();
  const { text } = await api.send("GET", "/docs");
  const links = [...text.matchAll(/href="(\/docs\/[a-z-]+)#(\w+)"/g)];
  const groups = Map.groupBy(links, ([, path = ""]) => path);
  expect([...groups.keys()][0]).toBe("/docs/hosts");
  let count = 0;
  for (const [path, operations] of groups) {
    const page = await api.send("GET", path);
    expect([path, page.status]).toEqual([path, 200]);
    for (const [, , id] of operations) {
      expect(page.text).toContain(`<h2 id="${id}">`);
    }
    expect(page.text.match(/<form /g)).toHaveLength(operations.length);
    count += operations.length;
  }
  expect(count).toBe(routes.length);
});

test.each(["/docs/hosts", "/docs/contract", "/docs/errors"])(
  "the ids in %s are unique",
  async (path) => {
    const { text } = await openApi().send("GET", path);
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids).toEqual([...new Set(ids)]);
  },
);

test("a page of the reference is smaller than 250 KB, including its styles and script", async () => {
  const api = openApi();
  const bytesOf = async (path: string) =>
    new TextEncoder().encode((await api.send("GET", path)).text).length;
  const files = ["colors.css", "base.css", "reference.css", "reference.js", "icon.svg"];
  const shared = await Promise.all(files.map((file) => bytesOf(`/docs/${file}`)));
  const pages = await Promise.all(["/docs", "/docs/hosts", "/docs/contract"].map(bytesOf));
  for (const page of pages) {
    expect(shared.reduce((sum, bytes) => sum + bytes, page)).toBeLessThan(250_000);
  }
});

test.each([
  "/openapi.json",
  "/docs/reference.js",
  "/docs/colors.css",
  "/docs/base.css",
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
  "/docs/nothing",
  "/docs/hosts.html",
  "/docs/hosts/",
  "/docs/..%2fhome",
  "/reference/hosts.html",
])("%s is an unknown path and returns an error in the envelope", async (path) => {
  const answer = await openApi().send("GET", path);
  expect(seen(answer)).toEqual(
    failed("route_not_found", { method: "GET", path: expect.any(String) }),
  );
});

test("the pages reject methods other than GET", async () => {
  for (const path of ["/", "/docs", "/openapi.json", "/docs/hosts", "/docs/reference.js"]) {
    const answer = await openApi().send("POST", path);
    expect(seen(answer)).toEqual(
      failed("method_not_allowed", { method: "POST", allowed: ["GET", "HEAD"] }),
    );
  }
});

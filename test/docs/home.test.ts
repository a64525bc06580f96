import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { mintApiKey } from "../../src/api-key.ts";
import { seen, standardHeaders } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";

const home = (variables = {}) => openApi(variables).send("GET", "/");

test("the start page allows only its own style and icon", async () => {
  const response = await home();
  expect(seen(response)).toMatchObject({
    status: 200,
    headers: {
      "cache-control": "no-store",
      "content-type": "text/html; charset=UTF-8",
      "x-content-type-options": "nosniff",
      "x-request-id": standardHeaders["x-request-id"],
    },
  });
  expect(response.headers.get("Content-Security-Policy")).toBe(
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  // Content that the policy would block.
  expect(response.text).not.toMatch(/<script|<style|<iframe|<form|\s(style|on\w+)=/);
});

test("the start page describes the service, how to get a key, and the next steps", async () => {
  const { text } = await home();
  const terms = ["Network", "Subnet", "Host", "Service", "Binding", "Daemon", "Credential"];
  for (const term of [...terms, "Scan", "Import", "History"]) {
    expect(text).toContain(`<dt>${term}</dt>`);
  }
  const commands = [...text.matchAll(/npm run ([\w-]+)/g)].map(([, name]) => name);
  expect(commands).toEqual(["organization", "key"]);
  expect(Object.keys(packageJson.scripts)).toEqual(expect.arrayContaining(commands));

  const paths = new Set([...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path]) => path));
  expect([...paths]).toEqual(
    expect.arrayContaining([
      ...["/docs", "/docs/contract", "/docs/discovery#create_import", "/openapi.json"],
      ...["/api/health", "/api/health/ready"],
    ]),
  );
});

test("the start page is smaller than 30 KB, including all of its resources", async () => {
  const api = openApi();
  const parts = await Promise.all(
    ["/", "/docs/colors.css", "/docs/base.css", "/docs/home.css", "/docs/icon.svg"].map((path) =>
      api.send("GET", path),
    ),
  );
  const bytes = parts.map(({ text }) => new TextEncoder().encode(text).length);
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThan(30_000);
});

test("the example requests use the address at which the page was requested", async () => {
  const { text } = await home();
  const requests = text.match(/curl '.*$/gm) ?? [];
  expect(requests.length).toBeGreaterThan(0);
  for (const request of requests) {
    expect(request).toContain("curl 'https://api.example.com/api/v1/");
  }
});

test("the example requests contain the demo key if there is one", async () => {
  const key = mintApiKey();
  const { text } = await home({ DEMO_API_KEY: key });
  expect(text).toContain(`Bearer <var>${key}</var>`);
  expect(text).not.toContain("YOUR_KEY");
  expect(text).toContain('<p id="demo">');
});

test("without a demo key, the example requests contain a placeholder", async () => {
  const { text } = await home();
  expect(text).toContain("Bearer <var>YOUR_KEY</var>");
  expect(text).not.toContain("demo");
});

test("the key is escaped in the page", async () => {
  const { text } = await home({ DEMO_API_KEY: "</var><script>" });
  expect(text).toContain("&lt;/var&gt;&lt;script&gt;");
  expect(text).not.toContain("<script>");
  // Replacement patterns in the key must not be expanded.
  expect((await home({ DEMO_API_KEY: "$&$'" })).text).toContain("<var>$&amp;$&#39;</var>");
});

test("the start page describes itself to programs that show a preview of a link", async () => {
  const { text } = await home();
  const properties = [...text.matchAll(/<meta property="og:(\w+)" content="([^"]+)">/g)];
  expect(properties.map(([, name]) => name)).toEqual(["type", "title", "description", "url"]);
  expect(properties.at(-1)?.[2]).toBe("https://api.example.com/");
});

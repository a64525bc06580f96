import { expect, test } from "vitest";
import { app } from "../../src/app.ts";
import { failed, seen, standardHeaders, unauthorized } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { mintOrganization } from "../helpers/organization.ts";

const listed = "https://app.example.com";
const listing = { CORS_ORIGINS: `${listed}, http://localhost:5173` };
const allowOrigin = "access-control-allow-origin";

const corsHeaders = (headers: Headers) =>
  [...headers.keys()].filter((name) => name.startsWith("access-control-allow"));

/** What a browser asks before it sends the request of a page. */
const preflight = (api: ReturnType<typeof openApi>, origin: string) =>
  api.send("OPTIONS", "/api/v1/credentials/3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11", {
    headers: {
      Origin: origin,
      "Access-Control-Request-Method": "PUT",
      "Access-Control-Request-Headers": "authorization,content-type",
    },
  });

test.each([listed, "http://localhost:5173"])(
  "pages of the listed origin %s may call",
  async (origin) => {
    const api = openApi(listing);
    const { keys } = await mintOrganization();
    const options = { key: keys.viewer, headers: { Origin: origin } };
    const answer = await api.send("GET", "/api/v1/credentials", options);
    expect({ status: answer.status, headers: Object.fromEntries(answer.headers) }).toMatchObject({
      status: 200,
      headers: {
        [allowOrigin]: origin,
        vary: expect.stringMatching(/^(Accept, Origin|Origin, Accept)$/),
      },
    });
    expect(answer.headers.get("access-control-expose-headers")?.split(",")).toEqual([
      "ETag",
      "Location",
      "Link",
      "Retry-After",
      "RateLimit-Policy",
      "RateLimit",
      "Idempotent-Replayed",
      "X-Request-Id",
      "Allow",
      "WWW-Authenticate",
    ]);
  },
);

test("pages of a listed origin may read failures, too", async () => {
  const answer = await openApi(listing).send("GET", "/api/v1/credentials", {
    headers: { Origin: listed },
  });
  expect({
    status: answer.status,
    body: answer.body,
    headers: Object.fromEntries(answer.headers),
  }).toMatchObject({
    ...unauthorized("auth_not_authenticated"),
    headers: { [allowOrigin]: listed, "www-authenticate": "Bearer" },
  });
  for (const path of ["/nowhere", "/api/v1/organizations/x"]) {
    const { headers } = await openApi(listing).send("GET", path, { headers: { Origin: listed } });
    expect([path, headers.get(allowOrigin)]).toEqual([path, listed]);
  }
});

test("a listed origin's preflight needs no key and no database", async () => {
  const api = openApi(listing);
  const answer = await preflight(api, listed);
  expect({
    status: answer.status,
    text: answer.text,
    headers: Object.fromEntries(answer.headers),
  }).toMatchObject({
    status: 204,
    text: "",
    headers: {
      [allowOrigin]: listed,
      "access-control-allow-methods": "GET,HEAD,PUT,PATCH,DELETE",
      "access-control-allow-headers":
        "Authorization,Content-Type,X-Request-Id,If-Match,If-None-Match,Idempotency-Key,Mcp-Protocol-Version,Mcp-Method,Mcp-Name,Mcp-Session-Id,Last-Event-ID",
      "cache-control": standardHeaders["cache-control"],
      "x-content-type-options": "nosniff",
      "x-request-id": standardHeaders["x-request-id"],
    },
  });
  expect(await api.calls()).toBe(0);
});

test.each([
  ["https://evil.example.com"],
  ["https://app.example.com.evil.com"],
  ["http://app.example.com"],
  ["https://app.example.com:8443"],
  ["HTTPS://APP.EXAMPLE.COM"],
  ["null"],
  [`${listed}, http://localhost:5173`],
])("pages of the origin %s, which is not listed, may not call", async (origin) => {
  const api = openApi(listing);
  const asked = await preflight(api, origin);
  expect({ status: asked.status, cors: corsHeaders(asked.headers) }).toEqual({
    status: 405,
    cors: [],
  });
  const answer = await api.send("GET", "/api/health", { headers: { Origin: origin } });
  expect({ status: answer.status, cors: answer.headers.get(allowOrigin) }).toEqual({
    status: 200,
    cors: null,
  });
});

test.each([{ CORS_ORIGINS: "" }, { CORS_ORIGINS: undefined }])(
  "no page may call by default: %j",
  async (variables) => {
    const api = openApi(variables);
    for (const origin of [listed, "null", ""]) {
      expect((await preflight(api, origin)).headers.get(allowOrigin)).toBeNull();
      const answer = await api.send("GET", "/api/health", { headers: { Origin: origin } });
      expect(corsHeaders(answer.headers)).toEqual([]);
    }
  },
);

const paths = [
  ...new Set(app.routes.flatMap(({ method, path }) => (method === "ALL" ? [] : path))),
];

test.each(paths)("a preflight of %s allows every method that the path takes", async (path) => {
  const requested = path.replaceAll(/:\w+/g, "x");
  const answer = await openApi(listing).send("OPTIONS", requested, {
    headers: { Origin: listed, "Access-Control-Request-Method": "GET" },
  });
  // The path of a bulk operation is also one of a record whose id is `bulk`.
  const isAt = (route: string) =>
    new RegExp(`^${route.replaceAll(/:\w+/g, "[^/]+")}$`).test(requested);
  const methods = app.routes.flatMap(({ method, path: route }) =>
    method !== "ALL" && isAt(route) ? (method === "GET" ? ["GET", "HEAD"] : [method]) : [],
  );
  const allowed = answer.headers.get("access-control-allow-methods")?.split(",").sort();
  expect({ status: answer.status, allowed }).toEqual({
    status: 204,
    allowed: [...new Set(methods)].sort(),
  });
});

const asked = { Origin: listed, "Access-Control-Request-Method": "GET" };

test.each([
  ["a path that does not exist", "/nope", asked],
  ["a path below one that exists", "/api/v1/credentials/x/y", asked],
  ["no origin", "/api/v1/bindings", { "Access-Control-Request-Method": "GET" }],
  ["no method to ask for", "/api/v1/bindings", { Origin: listed }],
  ["neither", "/api/v1/bindings", {}],
])("an OPTIONS request with %s gets what it gets without CORS", async (_, path, headers) => {
  const allowed = ["GET", "HEAD", "POST"];
  const expected =
    path === "/nope" || path.endsWith("/y")
      ? failed("route_not_found", { method: "OPTIONS", path })
      : failed("method_not_allowed", { method: "OPTIONS", allowed }, { allow: "GET, HEAD, POST" });
  for (const variables of [listing, {}]) {
    expect(seen(await openApi(variables).send("OPTIONS", path, { headers }))).toEqual(expected);
  }
});

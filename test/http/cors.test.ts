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

/** The preflight request that a browser sends before a page's request. */
const preflight = (api: ReturnType<typeof openApi>, origin: string) =>
  api.send("OPTIONS", "/api/v1/credentials/3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11", {
    headers: {
      Origin: origin,
      "Access-Control-Request-Method": "PUT",
      "Access-Control-Request-Headers": "authorization,content-type",
    },
  });

test.each([listed, "http://localhost:5173"])(
  "allows pages from the listed origin %s",
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

test("allows pages from a listed origin to read failures", async () => {
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

test("a preflight request from a listed origin needs no key or database call", async () => {
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
])("does not allow pages from the unlisted origin %s", async (origin) => {
  const api = openApi(listing);
  const preflighted = await preflight(api, origin);
  expect({ status: preflighted.status, cors: corsHeaders(preflighted.headers) }).toEqual({
    status: 405,
    cors: [],
  });
  const answer = await api.send("GET", "/api/health", { headers: { Origin: origin } });
  expect({ status: answer.status, cors: answer.headers.get(allowOrigin) }).toEqual({
    status: 200,
    cors: null,
  });
});

test("the error for a preflight from another origin says how to allow it", async () => {
  const { status, body } = await preflight(openApi(), listed);
  expect([status, Object(body).error]).toEqual([
    405,
    expect.stringMatching(
      /CORS_ORIGINS, in wrangler\.toml, or locally in \.dev\.vars, and restarts/,
    ),
  ]);
});

test.each([{ CORS_ORIGINS: "" }, { CORS_ORIGINS: undefined }])(
  "does not allow pages from any origin by default: %j",
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

test.each(paths)("a preflight request for %s allows every method of the path", async (path) => {
  const requested = path.replaceAll(/:\w+/g, "x");
  const answer = await openApi(listing).send("OPTIONS", requested, {
    headers: { Origin: listed, "Access-Control-Request-Method": "GET" },
  });
  // The path of a bulk operation also matches the path of a record whose id is `bulk`.
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

const preflightHeaders = { Origin: listed, "Access-Control-Request-Method": "GET" };

test.each([
  ["a path that does not exist", "/nope", preflightHeaders],
  ["a path below an existing path", "/api/v1/credentials/x/y", preflightHeaders],
  ["no origin", "/api/v1/bindings", { "Access-Control-Request-Method": "GET" }],
  ["no requested method", "/api/v1/bindings", { Origin: listed }],
  ["neither", "/api/v1/bindings", {}],
])(
  "an OPTIONS request with %s gets the same response as if CORS were disabled",
  async (_, path, headers) => {
    const allowed = ["GET", "HEAD", "POST"];
    const expected =
      path === "/nope" || path.endsWith("/y")
        ? failed("route_not_found", { method: "OPTIONS", path })
        : failed(
            "method_not_allowed",
            { method: "OPTIONS", allowed },
            { allow: "GET, HEAD, POST" },
          );
    for (const variables of [listing, {}]) {
      expect(seen(await openApi(variables).send("OPTIONS", path, { headers }))).toEqual(expected);
    }
  },
);

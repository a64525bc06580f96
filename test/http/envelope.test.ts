import { expect, test } from "vitest";
import { failed, seen, succeeded, unavailable } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { mintOrganization } from "../helpers/organization.ts";

test("returns a record in the envelope", async () => {
  const api = openApi();
  const { id, keys } = await mintOrganization();
  const answer = await api.send("PUT", `/api/v1/organizations/${id}`, {
    key: keys.owner,
    json: "After",
  });
  expect(seen(answer)).toEqual(succeeded(expect.objectContaining({ id, name: "After" })));
});

test.each([
  ["GET", "/nothing"],
  ["GET", "/docs/nothing"],
  ["GET", "/openapi"],
  ["GET", "/api/v1"],
  ["GET", "/api/v2/credentials"],
  ["GET", "/api/v1/credentials/"],
  ["GET", "/api/v1/Credentials"],
  ["DELETE", "/api/v1/nothing"],
  ["POST", "/api/v1/daemons/1/retry-connection/now"],
])("%s %s is reported as an unknown path, with or without a key", async (method, path) => {
  const api = openApi();
  const { keys } = await mintOrganization();
  const expected = failed("route_not_found", expect.objectContaining({ method, path }));
  expect(seen(await api.send(method, path))).toEqual(expected);
  expect(seen(await api.send(method, path, { key: keys.owner }))).toEqual(expected);
  expect(await api.calls()).toBe(0);
});

test.each([
  ["/host", "/api/v1/hosts"],
  ["/hosts/", "/api/v1/hosts"],
  ["/api/v1/ip_addresses", "/api/v1/ip-addresses"],
  ["/api/ports", "/api/v1/ports"],
  ["/v1/daemons/3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11/scans", "/api/v1/daemons/{id}/scan"],
  ["/events", "/api/v1/changes"],
  ["/api/v1/stats", "/api/v1/summary"],
  ["/api/v1/devices/3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11", "/api/v1/hosts/{id}"],
  ["/api/v1/users", "/api/v1/auth/keys"],
  ["/nothing/like/it", undefined],
  ["/constructor", undefined],
])("the error for %s names %s", async (path, nearest) => {
  const params = { method: "GET", path, ...(nearest && { nearest }) };
  expect(seen(await openApi().send("GET", path))).toEqual(failed("route_not_found", params));
});

test("the error for users says that there are only API keys", async () => {
  const { body } = await openApi().send("GET", "/api/v1/users");
  expect(Object(body).error).toBe(
    "GET /api/v1/users does not exist: there are no users, only API keys; did you mean /api/v1/auth/keys? See /openapi.json for the operations.",
  );
});

const id = "3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11";

test.each([
  {
    method: "DELETE",
    path: "/api/v1/credentials",
    allowed: ["GET", "HEAD", "POST"],
    nearest: "/api/v1/credentials/{id}",
  },
  {
    method: "DELETE",
    path: "/api/v1/bindings",
    allowed: ["GET", "HEAD", "POST"],
    nearest: "/api/v1/bindings/{id}",
  },
  {
    method: "POST",
    path: `/api/v1/credentials/${id}`,
    allowed: ["GET", "HEAD", "PUT", "PATCH", "DELETE"],
  },
  {
    method: "POST",
    path: `/api/v1/organizations/${id}`,
    allowed: ["GET", "HEAD", "PUT", "PATCH", "DELETE"],
    nearest: "/api/v1/organizations/{id}/suspend",
  },
  { method: "PUT", path: "/api/v1/auth/whoami", allowed: ["GET", "HEAD"] },
  { method: "PUT", path: `/api/v1/daemons/${id}/retry-connection`, allowed: ["POST"] },
  { method: "POST", path: "/api/health", allowed: ["GET", "HEAD"] },
  { method: "PUT", path: "/api/health/ready", allowed: ["GET", "HEAD"] },
  { method: "DELETE", path: "/api/version", allowed: ["GET", "HEAD"] },
])("$path does not support $method", async ({ method, path, allowed, nearest }) => {
  const api = openApi();
  const { keys } = await mintOrganization();
  const expected = failed(
    "method_not_allowed",
    { method, allowed, ...(nearest && { nearest }) },
    { allow: allowed.join(", ") },
  );
  expect(seen(await api.send(method, path))).toEqual(expected);
  expect(seen(await api.send(method, path, { key: keys.owner }))).toEqual(expected);
  expect(await api.calls()).toBe(0);
});

test("HEAD returns the same headers as GET, without a body", async () => {
  const api = openApi();
  const { keys } = await mintOrganization();
  const answer = await api.send("HEAD", "/api/v1/credentials", { key: keys.viewer });
  expect({ ...seen(answer), body: answer.text }).toMatchObject({ ...succeeded([]), body: "" });
});

test("returns the error for a missing record in the envelope", async () => {
  const api = openApi();
  const { keys } = await mintOrganization();
  const answer = await api.send("POST", `/api/v1/daemons/${id}/retry-connection`, {
    key: keys.owner,
  });
  expect(seen(answer)).toEqual(failed("entity_not_found", { entity: "Daemon", id }));
});

test("returns the error for an exceeded rate limit in the envelope", async () => {
  const api = openApi({
    RATE_LIMITS: "on",
    ADDRESS_RATE_LIMIT: { limit: async () => ({ success: false }) },
  });
  const expected = failed(
    "rate_limit_exceeded",
    { retry_after_seconds: expect.any(Number) },
    { "retry-after": expect.stringMatching(/^\d+$/) },
  );
  expect(seen(await api.send("GET", "/api/v1/credentials"))).toEqual(expected);
});

test("returns the error for an unreachable database in the envelope", async () => {
  const api = openApi();
  const { keys } = await mintOrganization();
  await api.disturb({ faults: [{ kind: "refuse" }, { kind: "refuse" }] });
  const answer = await api.send("GET", "/api/v1/credentials", { key: keys.viewer });
  expect(seen(answer)).toEqual(unavailable);
});

test("returns an internal error in the envelope, with only the request id", async () => {
  const api = openApi({
    RATE_LIMITS: "on",
    ADDRESS_RATE_LIMIT: { limit: () => Promise.reject(new Error("a detail of the inside")) },
  });
  const answer = await api.send("GET", "/api/v1/credentials");
  expect(seen(answer)).toEqual(
    failed("internal_error", { request_id: answer.headers.get("X-Request-Id") }),
  );
});

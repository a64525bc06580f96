import { expect, test } from "vitest";
import { meta, standardHeaders } from "../helpers/answers.ts";
import { judgeAnswer } from "../helpers/contract.ts";

const headers = {
  ...standardHeaders,
  "cache-control": "no-store",
  "x-request-id": "an-id",
  vary: "Accept",
};
const binding = {
  id: "6d0c7c5a-35f9-4c3e-8a27-0b6b0f3c1d52",
  created_at: "2026-03-02T08:15:00.000Z",
  updated_at: "2026-04-22T15:57:37.843Z",
  type: "Port",
  service_id: "0a4f1e86-9d1b-4f57-b0a5-6f7d6f3f5b11",
  network_id: "277af32d-eb94-4677-88b1-472a3ec07051",
  port_id: "f3b9d0b4-5c55-4f0b-9f5f-7f0f7c2a7f3e",
  ip_address_id: null,
  last_seen_at: "2026-04-22T15:57:37.843Z",
  valid_from: "2026-03-02T08:15:00.000Z",
  valid_to: null,
  first_discovery_id: null,
  last_discovery_id: null,
  lineage_id: null,
  host_id: "e1e74882-b978-405e-89f9-922e1a30e63b",
  label: "nginx 443/Tcp",
};
const pagination = { total_count: 1, limit: 50, offset: 0, has_more: false, next_cursor: null };
const list = (...data: object[]) => ({ success: true, data, meta: { ...meta, pagination } });

/** Validates a response from the list of bindings. */
const validate = (
  body: object,
  { status = 200, ...init }: { status?: number; headers?: Record<string, string> } = {},
) => {
  const text = JSON.stringify(body);
  const answer = new Response(text, { status, headers: { ...headers, ...init.headers } });
  return judgeAnswer("GET", "/api/v1/bindings", answer, text);
};

test("accepts a declared response, and returns its operation and status", () => {
  expect(validate(list(binding))).toBe("list_bindings 200");
});

const failure = { success: false, code: "x", error: "", params: {}, meta };

test.each([
  ["an undeclared field of a record", list({ ...binding, secret: 1 }), {}],
  ["a missing field of a record", list({ ...binding, valid_to: undefined }), {}],
  ["a field of the wrong type", list({ ...binding, port_id: 5 }), {}],
  ["an id in upper case", list({ ...binding, id: binding.id.toUpperCase() }), {}],
  ["an instant without milliseconds", list({ ...binding, created_at: "2026-03-02T08:15:00Z" }), {}],
  ["a value outside its enum", list({ ...binding, type: "Socket" }), {}],
  ["a success with success: false", { ...list(binding), success: false }, {}],
  ["a list without pagination", { ...list(binding), meta }, {}],
  ["an undeclared field of the envelope", { ...list(binding), code: null }, {}],
  ["an undeclared header", list(binding), { headers: { "X-Powered-By": "x" } }],
  ["a header with a wrong value", list(binding), { headers: { "cache-control": "public" } }],
  ["an undeclared status", list(binding), { status: 201 }],
  ["an unknown code", { ...failure, code: "unknown" }, { status: 400 }],
  ["the code of another status", { ...failure, code: "request_conflict" }, { status: 400 }],
  ["a status without its header", { ...failure, code: "auth_key_disabled" }, { status: 401 }],
])("rejects %s", (_, body, init) => {
  expect(() => validate(body, init)).toThrow(/is not (as )?declared/);
});

test("rejects a response from an undeclared operation", () => {
  const text = JSON.stringify(list(binding));
  expect(() =>
    judgeAnswer("DELETE", "/api/v1/bindings", new Response(text, { headers }), text),
  ).toThrow("is not declared");
});

import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { mintApiKey } from "../../src/api-key.ts";
import { openApi } from "../helpers/api.ts";
import { type Inventory, openInventory } from "../helpers/inventory.ts";
import { fakeLimiter } from "../helpers/limiter.ts";

const modern = "2026-07-28";

let inventory: Inventory;

beforeAll(async () => {
  inventory = await openInventory();
});

/** JSON of nested objects with numeric names, which V8 serializes recursively. */
const deep = (depth: number, name = '"0"') => `${`{${name}:`.repeat(depth)}1${"}".repeat(depth)}`;

const json = { "Content-Type": "application/json" };
const message = (method: string, params: string) =>
  `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":${params}}`;
const toolCall = (name: string, sent: object) =>
  message("tools/call", JSON.stringify({ name, arguments: sent }));
const version = '"io.modelcontextprotocol/protocolVersion"';

/** Invalid messages, and the status of the response if the key is valid. */
const wrong: [string, string, Record<string, string>, number][] = [
  ["another media type", message("tools/list", "{}"), { "Content-Type": "text/plain" }, 415],
  ["no media type", message("tools/list", "{}"), {}, 415],
  ["more than 64 KiB", message("tools/list", `{"a":"${"a".repeat(65_536)}"}`), json, 413],
  ["no JSON", "{", json, 400],
  ["no body", "", json, 400],
  ["an encoding other than UTF-8", "\u00ff", json, 400],
  ["no message", "[]", json, 400],
  ["a batch", `[${message("ping", "{}")}]`, json, 400],
  [
    "a version that is 9,000 objects deep",
    message("tools/list", `{"_meta":{${version}:${deep(9000)}}}`),
    { ...json, "MCP-Protocol-Version": modern },
    400,
  ],
  [
    "a version that is an object",
    message("tools/list", `{"_meta":{${version}:${deep(20)}}}`),
    { ...json, "MCP-Protocol-Version": modern },
    400,
  ],
  [
    "an unknown version",
    message("tools/list", "{}"),
    { ...json, "MCP-Protocol-Version": "1" },
    400,
  ],
  ["an unknown method", message("resources/list", "{}"), json, 200],
  ["an unknown tool", toolCall("drop_table", {}), json, 200],
  ["a name that is not a string", message("tools/call", `{"name":${deep(9)}}`), json, 200],
  [
    "arguments that are not an object",
    message("tools/call", '{"name":"find","arguments":1}'),
    json,
    200,
  ],
  ["an argument with the wrong format", toolCall("get_host", { id: "x" }), json, 200],
  ["a value that is not one of those listed", toolCall("find", { kind: "x" }), json, 200],
  ["an unknown argument", toolCall("find", { query: "x" }), json, 200],
  ["an invalid daemon id", toolCall("scan_network", { daemon_id: "x" }), json, 200],
  [
    "a foreign origin",
    message("tools/list", "{}"),
    { ...json, Origin: "https://evil.example.com" },
    403,
  ],
];

describe.each(wrong)("a message with %s", (_, body, headers, status) => {
  test("results in 401 for an invented key, counts against the address and takes one database call", async () => {
    const addresses = fakeLimiter(2);
    const api = openApi({
      RATE_LIMITS: "on",
      KEY_RATE_LIMIT: fakeLimiter(100),
      ADDRESS_RATE_LIMIT: addresses,
    });
    const send = () => api.send("POST", "/mcp", { key: mintApiKey(), headers, body });
    for (let count = 1; count <= 2; count++) {
      const answer = await send();
      expect(answer).toMatchObject({ status: 401, body: { code: "auth_not_authenticated" } });
      expect(answer.headers.get("RateLimit-Policy")).toContain('"address"');
      expect(answer.headers.get("WWW-Authenticate")).toBe("Bearer");
      expect(addresses.counted).toHaveLength(count);
      expect(await api.calls()).toBe(count);
    }
    // Beyond the limit, requests from the address are rejected without a database call.
    expect((await send()).status).toBe(429);
    const calls = await api.calls();
    const refused = await send();
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limit_exceeded" } });
    expect(refused.headers.get("RateLimit")).toContain('"address";r=0');
    expect(await api.calls()).toBe(calls);
  });

  test("results in 429 for an invented key that is over its limit", async () => {
    const api = openApi({ RATE_LIMITS: "on", KEY_RATE_LIMIT: fakeLimiter(0) });
    const answer = await api.send("POST", "/mcp", { key: mintApiKey(), headers, body });
    expect(answer).toMatchObject({ status: 429, body: { code: "rate_limit_exceeded" } });
  });

  test(`results in ${status} for a valid key, counts against the key and takes one database call`, async () => {
    const keys = fakeLimiter(1);
    const api = openApi({ RATE_LIMITS: "on", KEY_RATE_LIMIT: keys });
    const { viewer: key } = inventory.organization.keys;
    const answer = await api.send("POST", "/mcp", { key, headers, body });
    expect(answer.status).toBe(status);
    expect(answer.headers.get("RateLimit")).toContain('"key"');
    expect(answer.headers.get("RateLimit")).toContain('"organization"');
    expect(keys.counted).toHaveLength(1);
    expect(await api.calls()).toBe(1);
    const again = await api.send("POST", "/mcp", { key, headers, body });
    expect(again.status === 429 || again.text.includes("rate_limit_exceeded")).toBe(true);
  });
});

/** JSON of any depth and shape, often with numeric names. */
const hostile = fc.oneof(
  fc.nat({ max: 12_000 }).map((depth) => deep(depth)),
  fc.nat({ max: 12_000 }).map((depth) => deep(depth, '"a"')),
  fc.nat({ max: 30_000 }).map((depth) => "[".repeat(depth) + "]".repeat(depth)),
  fc
    .nat({ max: 9000 })
    .map((count) => `{${Array.from({ length: count }, (_, at) => `"${at}":1`).join(",")}}`),
  fc.constantFrom(
    "null",
    "0",
    "1e999",
    '""',
    '"\\ud800"',
    '"\\u0000"',
    '{"__proto__":{}}',
    '"constructor"',
  ),
  fc.json({ maxDepth: 8 }),
);

test("no message, whatever its form, results in 500", async () => {
  const { viewer: key } = inventory.organization.keys;
  const api = openApi();
  const places: ((value: string) => string)[] = [
    (value) => value,
    (value) => message("initialize", `{"protocolVersion":${value}}`),
    (value) => message("tools/list", `{"_meta":${value}}`),
    (value) => message("tools/list", `{"_meta":{${version}:${value}}}`),
    (value) => message("tools/call", `{"name":${value}}`),
    (value) => message("tools/call", `{"name":"find","arguments":${value}}`),
    (value) => message("tools/call", `{"name":"find","arguments":{"fields":${value}}}`),
    (value) => message("tools/call", `{"name":"what_listens","arguments":{"port":${value}}}`),
    (value) => `{"jsonrpc":"2.0","id":${value},"method":"ping"}`,
    (value) => `{"jsonrpc":"2.0","id":1,"method":${value}}`,
    (value) => `{"jsonrpc":${value},"id":1,"method":"ping"}`,
  ];
  await fc.assert(
    fc.asyncProperty(
      hostile,
      fc.constantFrom(...places),
      fc.constantFrom(undefined, modern, "2025-03-26"),
      async (value, place, revision) => {
        const headers = { ...json, ...(revision && { "MCP-Protocol-Version": revision }) };
        const { status } = await api.send("POST", "/mcp", { key, headers, body: place(value) });
        expect(status).toBeOneOf([200, 202, 400, 404, 413]);
      },
    ),
    { numRuns: 150 },
  );
});

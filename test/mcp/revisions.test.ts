import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { sessionRevisions } from "../../src/mcp/protocol.ts";
import { openApi } from "../helpers/api.ts";
import { type Inventory, openInventory } from "../helpers/inventory.ts";

let inventory: Inventory;

beforeAll(async () => {
  inventory = await openInventory();
});

const post = (json: unknown, headers: Record<string, string> = {}) =>
  openApi().send("POST", "/mcp", { key: inventory.organization.keys.member, json, headers });

const initialize = (protocolVersion: unknown) =>
  post({
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion, capabilities: {}, clientInfo: { name: "x", version: "1" } },
  });

/** A tool's fields in revision 2025-03-26 (according to its `schema.ts`). */
const oldTool = z.strictObject({
  name: z.string(),
  description: z.string(),
  inputSchema: z.looseObject({
    type: z.literal("object"),
    properties: z.record(z.string(), z.object({}).loose()),
    required: z.array(z.string()).optional(),
  }),
  annotations: z.strictObject({
    title: z.string(),
    readOnlyHint: z.boolean(),
    destructiveHint: z.boolean(),
    openWorldHint: z.boolean(),
  }),
});
/** Since 2025-06-18, a tool has a separate title. */
const titledTool = oldTool.extend({
  title: z.string(),
  annotations: oldTool.shape.annotations.omit({ title: true }),
});
const listOf = (tool: z.ZodType) =>
  z.strictObject({
    jsonrpc: z.literal("2.0"),
    id: z.literal(2),
    result: z.strictObject({ tools: z.array(tool).min(9) }),
  });

const serverOf = (revision: string) =>
  z.strictObject({
    name: z.string(),
    version: z.string(),
    ...(revision !== "2025-03-26" && { title: z.string() }),
  });

describe.each(sessionRevisions)("a client of revision %s", (revision) => {
  const headers: Record<string, string> =
    revision === "2025-03-26" ? {} : { "MCP-Protocol-Version": revision };

  test("gets a response in its own revision, with only that revision's fields", async () => {
    const { status, body } = await initialize(revision);
    expect([status, body]).toMatchObject([200, { result: { protocolVersion: revision } }]);
    z.strictObject({
      jsonrpc: z.literal("2.0"),
      id: z.literal(1),
      result: z.strictObject({
        protocolVersion: z.literal(revision),
        capabilities: z.strictObject({ tools: z.strictObject({}) }),
        serverInfo: serverOf(revision),
        instructions: z.string(),
      }),
    }).parse(body);
    const { status: accepted } = await post(
      { jsonrpc: "2.0", method: "notifications/initialized" },
      headers,
    );
    expect(accepted).toBe(202);
    const list = await post({ jsonrpc: "2.0", id: 2, method: "tools/list" }, headers);
    listOf(revision === "2025-03-26" ? oldTool : titledTool).parse(list.body);
    const called = await post(
      { jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "summary" } },
      headers,
    );
    expect(called.body).toEqual({
      jsonrpc: "2.0",
      id: 3,
      result: { content: [{ type: "text", text: expect.any(String) }], isError: false },
    });
  });

  // Clients of these revisions treat any other status as a broken connection.
  test("gets request errors with status 200", async () => {
    for (const [method, params, code] of [
      ["resources/list", {}, -32601],
      ["tools/call", { name: "drop_table" }, -32602],
      ["tools/call", { name: "find", arguments: [] }, -32602],
    ] as const) {
      const answer = await post({ jsonrpc: "2.0", id: 4, method, params }, headers);
      expect(answer).toMatchObject({ status: 200, body: { id: 4, error: { code } } });
    }
  });

  test("gets an explanatory error for a batch", async () => {
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    expect(await post([ping, ping], headers)).toMatchObject({
      status: 400,
      body: {
        error: { code: -32600, message: expect.stringContaining("does not accept batches") },
      },
    });
  });
});

test.each(["2024-11-05", "2026-07-28", "2099-01-01", "", undefined, 5, null, {}])(
  "the response to initialize with %j contains the newest revision with sessions",
  async (revision) => {
    expect(await initialize(revision)).toMatchObject({
      status: 200,
      body: { result: { protocolVersion: "2025-11-25" } },
    });
  },
);

test("rejects a header with an unsupported revision, and lists the supported revisions", async () => {
  const answer = await post(
    { jsonrpc: "2.0", id: 1, method: "tools/list" },
    { "MCP-Protocol-Version": "2024-11-05" },
  );
  expect(answer).toMatchObject({
    status: 400,
    body: {
      error: {
        code: -32022,
        data: { supported: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"] },
      },
    },
  });
});

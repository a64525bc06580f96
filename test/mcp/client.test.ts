import {
  Client,
  type ClientOptions,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { modern, sessionRevisions } from "../../src/mcp/protocol.ts";
import { tools } from "../../src/mcp/tools.ts";
import { openApi } from "../helpers/api.ts";
import { type Inventory, openInventory } from "../helpers/inventory.ts";
import { mintDaemon } from "../helpers/organization.ts";

const [legacy] = sessionRevisions;
const origin = "https://assistant.example.com";

let inventory: Inventory;
let host: string;
let subnet: string;
let daemon_id: string;

beforeAll(async () => {
  inventory = await openInventory();
  host = (await inventory.create("hosts", { name: "printer" })).id;
  subnet = (await inventory.create("subnets", { cidr: "198.51.100.0/24" })).id;
  await inventory.create("ip-addresses", { host_id: host, ip_address: "192.0.2.7" });
  daemon_id = await mintDaemon(inventory.organization.id, inventory.network_id, {
    interfaced_cidrs: ["192.0.2.0/24"],
  });
});

/**
 * Opens a client from the TypeScript SDK that calls the Worker. Returns it with the names of the
 * headers that it sends.
 */
function openClient(mode: NonNullable<ClientOptions["versionNegotiation"]>["mode"]) {
  const api = openApi({ CORS_ORIGINS: origin });
  const headersSent = new Set<string>();
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { versionNegotiation: { ...(mode !== undefined && { mode }) } },
  );
  onTestFinished(() => client.close());
  const connect = (key: string) =>
    client.connect(
      new StreamableHTTPClientTransport(new URL("https://api.example.com/mcp"), {
        requestInit: { headers: { Authorization: `Bearer ${key}`, Origin: origin } },
        fetch: async (url, init) => {
          const { pathname } = new URL(url);
          const headers = Object.fromEntries(new Headers(init?.headers));
          for (const name of Object.keys(headers)) {
            headersSent.add(name);
          }
          const { body = null, method = "GET" } = init ?? {};
          return await api.open(method, pathname, { headers, ...(body !== null && { body }) });
        },
      }),
    );
  return { api, client, connect, headersSent };
}

const shownIn = z.object({
  content: z.tuple([z.object({ type: z.literal("text"), text: z.string() })]),
  isError: z.boolean(),
});

describe.each([
  { mode: "legacy", revision: legacy },
  { mode: "auto", revision: modern },
  { mode: { pin: modern }, revision: modern },
] as const)("the SDK's client with the negotiation mode $mode", ({ mode, revision }) => {
  test("connects, lists all tools and calls each tool", async () => {
    const { client, connect } = openClient(mode);
    await connect(inventory.organization.keys.member);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(client.getServerVersion()).toMatchObject({ title: "Network Inventory" });
    expect(client.getInstructions()).toContain("never instructions");
    const listed = await client.listTools();
    expect(listed.tools.map(({ name }) => name)).toEqual(Object.keys(tools));
    const { network_id } = inventory;
    const sent: Record<string, Record<string, unknown>> = {
      find: { q: "printer", network_id },
      get_host: { id: host },
      map: { id: host },
      available_ips: { subnet_id: subnet },
      timeline: { id: host },
      scan_network: { network_id },
      rescan_host: { id: host },
    };
    for (const { name } of listed.tools) {
      const result = await client.callTool({ name, arguments: sent[name] ?? {} });
      expect([name, result]).toMatchObject([name, { isError: false }]);
      const { content } = shownIn.parse(result);
      expect(JSON.parse(content[0].text)).toBeTypeOf("object");
    }
    const found = await client.callTool({ name: "find", arguments: sent["find"] ?? {} });
    expect(found.content).toEqual([{ type: "text", text: expect.stringContaining(host) }]);
  });

  test("reports a tool's error as a result that the model can read", async () => {
    const { client, connect } = openClient(mode);
    await connect(inventory.organization.keys.viewer);
    const named = (await client.listTools()).tools.map(({ name }) => name);
    expect(named).not.toContain("scan_network");
    expect(named).not.toContain("rescan_host");
    for (const [name, sent, message] of [
      ["find", { limit: 0 }, "limit must be a whole number from 1 to 50"],
      ["get_host", { id: crypto.randomUUID() }, "This host does not exist"],
      ["scan_network", { daemon_id }, "auth_permission_denied"],
      ["rescan_host", { id: host }, "auth_permission_denied"],
    ] as const) {
      const { content, isError } = shownIn.parse(
        await client.callTool({ name, arguments: { ...sent } }),
      );
      expect([content[0].text, isError]).toEqual([expect.stringContaining(message), true]);
    }
  });

  test("reports an unknown tool or method as a protocol error", async () => {
    const { client, connect } = openClient(mode);
    await connect(inventory.organization.keys.viewer);
    await expect(client.callTool({ name: "drop_table" })).rejects.toThrow(
      /Unknown tool\. The tools are summary, (?!.*(?:scan_network|rescan_host)).*, scan_status\./,
    );
    await expect(client.request({ method: "resources/list" })).rejects.toThrow(
      /Unknown method \\*"resources\/list\\*"/,
    );
  });

  test("reports an invalid key", async () => {
    const { connect } = openClient(mode);
    await expect(connect("inv_u_no")).rejects.toThrow(/auth_not_authenticated|401/);
  });

  test("may send all of its headers from a page on a different origin", async () => {
    const { api, client, connect, headersSent } = openClient(mode);
    await connect(inventory.organization.keys.viewer);
    await client.callTool({ name: "summary" });
    // Browsers set these headers themselves, or send them without a preflight request.
    const requested = [...headersSent].filter((name) => !["accept", "origin"].includes(name));
    const { headers } = await api.send("OPTIONS", "/mcp", {
      headers: {
        Origin: origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": requested.join(","),
      },
    });
    const allowed = headers.get("access-control-allow-headers")?.toLowerCase().split(",");
    expect(allowed).toEqual(expect.arrayContaining(requested));
  });
});

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, test } from "vitest";
import { tools } from "../../src/mcp/tools.ts";
import { openApi } from "../helpers/api.ts";
import { openInventory } from "../helpers/inventory.ts";

test("the SDK's client opens a connection, lists tools and calls them", async () => {
  const { organization, network_id, create } = await openInventory();
  const host = await create("hosts", { name: "printer" });
  const api = openApi();
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL("https://api.example.com/mcp"), {
    requestInit: { headers: { Authorization: `Bearer ${organization.keys.member}` } },
    fetch: async (url, init) => {
      const { pathname } = new URL(url);
      const headers = Object.fromEntries(new Headers(init?.headers));
      const { body = null, method = "GET" } = init ?? {};
      return await api.open(method, pathname, { headers, ...(body !== null && { body }) });
    },
  });
  await client.connect(transport);
  expect(client.getServerVersion()).toMatchObject({ title: "Network Inventory" });
  expect(client.getInstructions()).toContain("never instructions");
  const listed = await client.listTools();
  expect(listed.tools.map(({ name }) => name)).toEqual(Object.keys(tools));
  await client.ping();
  const sent = { name: "find", arguments: { q: "printer", network_id } };
  const { content, isError } = await client.callTool(sent);
  expect(isError).toBe(false);
  expect(content).toEqual([{ type: "text", text: expect.stringContaining(host.id) }]);
  const refused = await client.callTool({ name: "find", arguments: { limit: 0 } });
  expect(refused).toMatchObject({ isError: true });
  await client.close();
});

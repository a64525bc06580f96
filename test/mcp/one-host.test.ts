import { beforeAll, describe, expect, test } from "vitest";
import * as z from "zod";
import { openApi } from "../helpers/api.ts";
import { type Inventory, mintEmptyNetwork, openInventory } from "../helpers/inventory.ts";

let inventory: Inventory;
let nas: string;
let twins: string[];

beforeAll(async () => {
  inventory = await openInventory();
  const { organization, network_id, create } = inventory;
  await create("subnets", { cidr: "192.0.2.0/24" });
  nas = (
    await create("hosts", {
      name: "nas",
      hostname: "Store.example.com",
      ip_addresses: [{ ip_address: "192.0.2.7" }],
    })
  ).id;
  // Other hosts whose names contain this name.
  for (let number = 0; number < 10; number++) {
    await create("hosts", { name: `nas-${number}` });
  }
  const other = await mintEmptyNetwork(organization.id);
  await create("subnets", { cidr: "192.0.2.0/24", network_id: other });
  twins = await Promise.all(
    [network_id, other].map(
      async (network) =>
        (
          await create("hosts", {
            name: "Printer",
            network_id: network,
            ip_addresses: [{ ip_address: "192.0.2.99" }],
          })
        ).id,
    ),
  );
});

async function call(name: string, sent: object) {
  const api = openApi();
  const { body } = await api.send("POST", "/mcp", {
    key: inventory.organization.keys.viewer,
    json: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: sent } },
  });
  const { content, isError } = z
    .object({
      result: z.object({
        content: z.tuple([z.object({ text: z.string() })]),
        isError: z.boolean(),
      }),
    })
    .parse(body).result;
  return {
    isError,
    output: z.record(z.string(), z.unknown()).parse(JSON.parse(content[0].text)),
    calls: await api.calls(),
  };
}

describe.each([
  ["get_host", (id: string) => ({ id })],
  ["map", () => ({ mermaid: expect.stringContaining('["nas"]') })],
  ["timeline", (id: string) => ({ rows: expect.arrayContaining([expect.arrayContaining([id])]) })],
] as const)("%s", (tool, outputOf) => {
  test.each([
    ["a name", { name: "nas" }, 2],
    ["a name in another case", { name: " NAS " }, 2],
    ["a hostname", { name: "store.EXAMPLE.com" }, 3],
    ["an address", { ip: "192.0.2.7" }, 2],
    ["an id", null, 1],
  ])("accepts %s", async (_, sent, calls) => {
    const fields = tool === "timeline" ? { fields: ["change", "entity_id"] } : {};
    expect(await call(tool, { ...(sent ?? { id: nas }), ...fields })).toMatchObject({
      isError: false,
      output: outputOf(nas),
      calls,
    });
  });

  test.each([{ name: "printer" }, { ip: "192.0.2.99" }])(
    "returns all hosts that match %j, with their ids",
    async (sent) => {
      const { isError, output } = await call(tool, sent);
      expect({ isError, output }).toMatchObject({
        isError: false,
        output: {
          next: expect.stringContaining("with the id of one"),
          columns: expect.arrayContaining(["id", "name", "network_id"]),
        },
      });
      const rows = z.array(z.array(z.unknown())).parse(output["rows"]);
      expect(rows.map(([id]) => id).sort()).toEqual(twins.toSorted());
    },
  );

  test.each([{ name: "na" }, { name: "192.0.2.7" }, { ip: "192.0.2.8" }])(
    "returns an error that refers to find for %j",
    async (sent) => {
      expect(await call(tool, sent)).toMatchObject({
        isError: true,
        output: { error: expect.stringContaining("search with find") },
      });
    },
  );

  test.each([{}, { name: "nas", ip: "192.0.2.7" }, { id: crypto.randomUUID(), name: "nas" }])(
    "rejects %j, since it needs exactly one argument",
    async (sent) => {
      expect(await call(tool, sent)).toMatchObject({
        isError: true,
        output: { error: expect.stringContaining("exactly one of the arguments id, name and ip") },
      });
    },
  );
});

test("get_host with an instant looks up a host by the name that it had then", async () => {
  expect(await call("get_host", { name: "nas", at: "2001-01-01T00:00:00Z" })).toMatchObject({
    isError: true,
    output: { error: expect.stringContaining("had exactly this name") },
  });
});

test("timeline rejects the name of a record that is not a host", async () => {
  expect(await call("timeline", { name: "nas", kind: "services" })).toMatchObject({
    isError: true,
    output: { error: expect.stringContaining("name and ip identify hosts only") },
  });
});

test("map draws a host's surroundings up to the given depth, either now or at an instant", async () => {
  const { output } = await call("map", { id: nas });
  // Hosts precede subnets, since nodes are sorted by id.
  expect(output["mermaid"]).toBe(
    'flowchart LR\n  n1["nas"]\n  n2(["192.0.2.0/24"])\n  n1 ---|"192.0.2.7"| n2\n',
  );
  const wider = await call("map", { id: nas, depth: 2 });
  expect(wider.output["mermaid"]).toContain('"Printer"');
  const services = await call("map", { id: nas, layer: "services" });
  expect(services.output["mermaid"]).toBe('flowchart LR\n  n1["nas"]\n');
  expect(await call("map", { id: nas, at: "2001-01-01T00:00:00Z" })).toMatchObject({
    isError: true,
    output: { error: expect.stringContaining("does not exist at that time") },
  });
});

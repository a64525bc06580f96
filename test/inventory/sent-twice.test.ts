import { expect, test } from "vitest";
import { failed, seen } from "../helpers/answers.ts";
import { type Inventory, openInventory } from "../helpers/inventory.ts";
import { changingNothing } from "../helpers/rows.ts";

/** An error with issues at these paths, in order. */
const twice = (...paths: string[]) =>
  failed("validation_failed", {
    issue_count: paths.length,
    issues: paths.map((path) => ({
      path,
      code: "custom",
      message: expect.stringContaining("of this request"),
    })),
  });

const id = crypto.randomUUID();
const other = crypto.randomUUID();

type Bodies = (inventory: Inventory) => Promise<unknown[]> | unknown[];

const hosts =
  (...children: object[]): Bodies =>
  ({ network_id }) =>
    children.map((each) => ({ network_id, name: "New", ...each }));

/** Bulk creates with duplicates, and the paths of the duplicates. */
const requests: [what: string, path: string, bodies: Bodies, paths: string[]][] = [
  [
    "a block in two notations",
    "subnets/bulk",
    ({ network_id }) =>
      ["10.0.0.0/24", "10.0.1.0/24", "10.0.0.5/24", "10.0.0.255/24"].map((cidr) => ({
        network_id,
        cidr,
      })),
    ["body[2].cidr", "body[3].cidr"],
  ],
  [
    "a port id in two hosts",
    "hosts/bulk",
    hosts(
      { ports: [{ id, number: 1, protocol: "Tcp" }] },
      {
        ports: [
          { number: 1, protocol: "Tcp" },
          { id, number: 2, protocol: "Tcp" },
        ],
      },
    ),
    ["body[1].ports[1].id"],
  ],
  [
    "an address id in two hosts",
    "hosts/bulk",
    hosts(
      { ip_addresses: [{ id, ip_address: "192.0.2.1" }] },
      { ip_addresses: [{ id: id.toUpperCase(), ip_address: "192.0.2.2" }] },
    ),
    ["body[1].ip_addresses[0].id"],
  ],
  [
    "a service id in three hosts",
    "hosts/bulk",
    hosts(...[1, 2, 3].map(() => ({ services: [{ id, name: "Web" }] }))),
    ["body[1].services[0].id", "body[2].services[0].id"],
  ],
  [
    "a binding id in two services of two hosts",
    "hosts/bulk",
    hosts(
      ...[1, 2].map((number) => {
        const port_id = crypto.randomUUID();
        return {
          ports: [{ id: port_id, number, protocol: "Tcp" }],
          services: [{ name: "None" }, { name: "Web", bindings: [{ id, type: "Port", port_id }] }],
        };
      }),
    ),
    ["body[1].services[1].bindings[0].id"],
  ],
  [
    "a binding id in two services",
    "services/bulk",
    async ({ create }) => {
      const { id: host_id, ports } = await create("hosts", {
        name: "nas",
        ports: [1, 2].map((number) => ({ number, protocol: "Tcp" })),
      });
      return ports.map(({ id: port_id }) => ({
        host_id,
        name: "Web",
        bindings: [{ id, type: "Port", port_id }],
      }));
    },
    ["body[1].bindings[0].id"],
  ],
];

test.each(requests)("%s is an issue with its path: POST %s", async (_, path, bodies, paths) => {
  const inventory = await openInventory();
  const json = await bodies(inventory);
  const request = () => inventory.send("POST", path, json);
  expect(seen(await changingNothing(inventory.organization.id, request))).toEqual(twice(...paths));
});

test("a repeated id inside one host is one issue, not two", async () => {
  const { send, network_id } = await openInventory();
  const binding = { id, type: "Port", port_id: other };
  const host = {
    network_id,
    name: "New",
    ports: [
      { id: other, number: 1, protocol: "Tcp" },
      { id: other, number: 2, protocol: "Tcp" },
    ],
    services: [
      { name: "Web", bindings: [binding, binding] },
      { name: "Proxy", bindings: [binding] },
    ],
  };
  expect(seen(await send("POST", "hosts/bulk", [host]))).toEqual(
    twice(
      "body[0].ports[1].id",
      "body[0].services[0].bindings[1].id",
      "body[0].services[1].bindings[0].id",
    ),
  );
});

test("accepts the same id for records of different kinds, and the same block in two networks", async () => {
  const { send, network_id, organization } = await openInventory();
  const host = {
    network_id,
    name: "New",
    ports: [{ id, number: 1, protocol: "Tcp" }],
  };
  expect(
    await send("POST", "hosts/bulk", [
      host,
      { ...host, ports: [], services: [{ id, name: "Web" }] },
    ]),
  ).toMatchObject({ status: 201 });
  const cidr = "10.0.0.0/24";
  expect(
    await send("POST", "subnets/bulk", [
      { network_id, cidr },
      { network_id: organization.networks[0].id, cidr },
    ]),
  ).toMatchObject({ status: 201 });
});

import { expect, test } from "vitest";
import type { ReportedHost } from "../../../src/discovery/report.ts";
import { inSteps, Pace } from "../../../src/discovery/steps.ts";
import { uniteHost } from "../../../src/discovery/unite.ts";
import { abortionOf, sql } from "../../helpers/database.ts";
import { type Inventory, openInventory } from "../../helpers/inventory.ts";
import { raiseScanner, type Scanner, wireProgress } from "../../helpers/protocol.ts";
import { scan } from "../../helpers/scans.ts";
import { mintSession } from "../../helpers/sessions.ts";
import { type BindingPair, bindingPairs, type PairMember } from "./pairs.ts";

const newId = () => crypto.randomUUID();
const addresses = ["10.77.0.3", "10.77.0.4"] as const;
const numbers = [8080, 8443] as const;
const names = ["Web", "Admin"] as const;

/** A new host with every address, port and service that occurs in the pairs, without bindings. */
const emptyHost = () => ({
  name: "host",
  ip_addresses: addresses.map((ip_address) => ({ id: newId(), ip_address })),
  ports: numbers.map((number) => ({ id: newId(), number, protocol: "Tcp" })),
  services: names.map((name) => ({ id: newId(), name })),
});
type Host = ReturnType<typeof emptyHost>;

/** The request body that creates a member of a pair as a binding on a host. */
const bodyOf = (host: Host, { service, port, address }: PairMember) => ({
  type: port === null ? ("IPAddress" as const) : ("Port" as const),
  service_id: host.services.find(({ name }) => name === service)?.id ?? "",
  port_id: host.ports.find(({ number }) => number === port)?.id ?? null,
  ip_address_id: host.ip_addresses.find(({ ip_address }) => ip_address === address)?.id ?? null,
});

const textOf = ({ service, port, address }: PairMember) =>
  `${service} ${port ?? "-"} ${address ?? "all"}`;
const textsOf = (members: readonly PairMember[]) => members.map(textOf).sort();

/** The live bindings of the network by their natural keys, sorted. */
async function boundOn({ list }: Pick<Inventory, "list">): Promise<string[]> {
  const hosts = await list("hosts");
  return hosts
    .flatMap(({ services, ports, ip_addresses }) =>
      services.flatMap(({ name, bindings }) =>
        bindings.map(({ port_id, ip_address_id }) => {
          const port = ports.find(({ id }) => id === port_id);
          const address = ip_addresses.find(({ id }) => id === ip_address_id);
          return `${name} ${port?.number ?? "-"} ${address?.ip_address ?? "all"}`;
        }),
      ),
    )
    .sort();
}

/** The members of a pair that remain after wider bindings have replaced narrower ones. */
const widest = ({ first, second, relation }: BindingPair): PairMember[] => {
  switch (relation) {
    case "both":
      return [first, second];
    case "wider":
      return [second];
    default:
      return [first];
  }
};

const cases = bindingPairs.map((pair) => ({ ...pair, title: `${pair.name}: ${pair.relation}` }));

test.each(cases)(
  "the trigger rejects two bindings unless they are compatible: $title",
  async (pair) => {
    const inventory = await openInventory();
    const host = emptyHost();
    await inventory.create("hosts", host);
    const insert = (member: PairMember) => {
      const { type, service_id, port_id, ip_address_id } = bodyOf(host, member);
      return sql`
      insert into bindings (organization_id, type, service_id, port_id, ip_address_id)
      values (${inventory.organization.id}, ${type}, ${service_id}, ${port_id}, ${ip_address_id})`;
    };
    await insert(pair.first);
    if (pair.relation === "both") {
      await insert(pair.second);
    } else {
      const { detail } = await abortionOf(insert(pair.second));
      expect(detail).toMatchObject({ code: "binding_conflict" });
    }
    expect(await boundOn(inventory)).toEqual(
      textsOf(pair.relation === "both" ? [pair.first, pair.second] : [pair.first]),
    );
  },
);

test.each(cases)("POST of a binding replaces only narrower ones: $title", async (pair) => {
  const inventory = await openInventory();
  const host = emptyHost();
  await inventory.create("hosts", host);
  await inventory.create("bindings", bodyOf(host, pair.first));
  const response = await inventory.send("POST", "bindings", bodyOf(host, pair.second));
  const isWritten = pair.relation === "both" || pair.relation === "wider";
  expect(response).toMatchObject(
    isWritten ? { status: 201 } : { status: 409, body: { code: "binding_conflict" } },
  );
  expect(await boundOn(inventory)).toEqual(textsOf(widest(pair)));
});

/** A host with these bindings, for a report. */
const reported = (members: readonly PairMember[]): ReportedHost => ({
  index: 0,
  id: null,
  is_operating_system_guessed: false,
  addresses: addresses.map((ip_address) => ({
    ip_address,
    mac_address: null,
    name: null,
    path: "",
  })),
  ports: [],
  interfaces: null,
  are_interfaces_complete: null,
  services: members.map(({ service, port, address }, index) => ({
    name: service,
    definition: service,
    version: null,
    is_guess: false,
    is_of_port: false,
    virtualization: null,
    runner: null,
    bindings:
      port !== null
        ? [
            {
              type: "Port",
              port: { number: port, protocol: "Tcp" },
              ip_address: address,
              path: `${index}`,
            },
          ]
        : address !== null
          ? [{ type: "IPAddress", ip_address: address, path: `${index}` }]
          : [],
  })),
  scanned_ports: [],
});

test.each(cases)(
  "a report keeps the widest of its bindings, in any order: $title",
  async (pair) => {
    for (const members of [
      [pair.first, pair.second],
      [pair.second, pair.first],
    ]) {
      const { services, issues } = await inSteps(uniteHost(reported(members), new Pace()));
      const kept = services.flatMap(({ name, bindings }) =>
        bindings.map(
          (binding) =>
            `${name} ${binding.type === "Port" ? binding.port.number : "-"} ${binding.ip_address ?? "all"}`,
        ),
      );
      if (pair.relation === "conflict") {
        expect(issues).toMatchObject([{ code: "binding_conflict" }]);
        expect(kept).toHaveLength(1);
        expect(textsOf([pair.first, pair.second])).toContain(kept[0]);
      } else {
        expect(issues).toEqual([]);
        expect(kept.sort()).toEqual(textsOf(widest(pair)));
      }
    }
  },
);

/** The host with one binding, as a daemon reports it. */
function finding({ networkId }: Scanner, { service, port, address }: PairMember) {
  const ids = new Map(addresses.map((ip_address) => [ip_address, newId()]));
  const port_id = newId();
  return {
    host: { id: newId(), network_id: networkId, name: "host" },
    ip_addresses: Array.from(ids, ([ip_address, id]) => ({ id, ip_address })),
    ports: port === null ? [] : [{ id: port_id, number: port, protocol: "Tcp" }],
    services: [
      {
        id: newId(),
        name: service,
        service_definition: service,
        bindings: [
          {
            id: newId(),
            type: port === null ? "IPAddress" : "Port",
            ...(port !== null && { port_id }),
            ip_address_id: address === null ? null : ids.get(address),
          },
        ],
      },
    ],
  };
}

/**
 * Creates a daemon, and returns functions that send requests about its network's inventory as a
 * Member.
 */
async function openScanner() {
  const scanner = await raiseScanner();
  const inventory = await openInventory({}, scanner.organization);
  return { scanner, inventory };
}

/** Reports hosts during a scan. Such a report alone does not close any records. */
async function report(scanner: Scanner, hosts: unknown[]) {
  const session = await mintSession(scanner.organization.id, scanner.networkId, scanner.id);
  await scanner.report({});
  await scanner.visit();
  await scanner.report({ progress: wireProgress(session, "Scanning", 50), hosts });
  await scanner.visit();
}

test.each(cases)("a report does not end a person's binding: $title", async (pair) => {
  const { scanner, inventory } = await openScanner();
  const host = emptyHost();
  await inventory.create("hosts", host);
  await inventory.create("bindings", bodyOf(host, pair.first));
  await report(scanner, [finding(scanner, pair.second)]);
  expect(await boundOn(inventory)).toEqual(
    textsOf(pair.relation === "both" ? [pair.first, pair.second] : [pair.first]),
  );
});

test.each(cases)("a scan moves a binding to another service on its port: $title", async (pair) => {
  const { scanner, inventory } = await openScanner();
  await scan(scanner, { hosts: [finding(scanner, pair.first)] });
  await report(scanner, [finding(scanner, pair.second)]);
  const { first, second, relation } = pair;
  const isMoved = relation === "conflict" && first.service !== second.service;
  expect(await boundOn(inventory)).toEqual(
    textsOf(
      relation === "both"
        ? [first, second]
        : [isMoved ? { ...first, service: second.service } : first],
    ),
  );
});

test.each(cases)("consolidation keeps the widest bindings of both hosts: $title", async (pair) => {
  const inventory = await openInventory();
  const [host, other] = [emptyHost(), emptyHost()];
  const { id } = await inventory.create("hosts", host);
  const { id: otherId } = await inventory.create("hosts", other);
  await inventory.create("bindings", bodyOf(host, pair.first));
  await inventory.create("bindings", bodyOf(other, pair.second));
  const response = await inventory.send("PUT", `hosts/${id}/consolidate/${otherId}`);
  if (pair.relation === "conflict") {
    expect(response).toMatchObject({ status: 409, body: { code: "binding_conflict" } });
    expect(await boundOn(inventory)).toEqual(textsOf([pair.first, pair.second]));
  } else {
    expect(response).toMatchObject({ status: 200 });
    expect(await boundOn(inventory)).toEqual(textsOf(widest(pair)));
  }
});

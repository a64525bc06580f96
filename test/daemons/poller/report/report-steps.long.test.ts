import { expect, test } from "vitest";
import { parsePoll, pollBounds } from "../../../../src/daemons/poller/ingest-poll.ts";
import {
  confirmationOf,
  gapsOf,
  unstoredOf,
} from "../../../../src/daemons/poller/report/confirmation.ts";
import { convertReport } from "../../../../src/daemons/poller/report/reported-entities.ts";
import { prepareReport } from "../../../../src/discovery/ingest/ingest.ts";
import { Pace, type Steps } from "../../../../src/discovery/steps.ts";

/** Maximum duration of a step, in milliseconds. */
const longest = 50;

/**
 * Other load on the machine interrupts measurements, and code is not yet compiled when it first
 * runs. The duration of a step is therefore its shortest time in up to this many runs: a step that
 * is inherently slow is slow in every run.
 */
const runs = 10;

const network = crypto.randomUUID();
const id = () => crypto.randomUUID();
const many = <Item>(length: number, make: (number: number) => Item): Item[] =>
  Array.from({ length }, (_, number) => make(number));

const address = (number: number) => ({
  id: id(),
  ip_address: `fe80::${(number >> 8).toString(16)}:${(number & 255).toString(16)}`,
  mac_address: "02:00:5e:00:00:01",
  name: "eth0",
});
const port = (number: number) => ({ id: id(), number: 1 + (number % 65_535), protocol: "Tcp" });
const service = (number: number, values: object = {}) => ({
  id: id(),
  name: `service ${number}`,
  service_definition: `definition ${number}`,
  ...values,
});
/** A host with the maximum number of every kind of record that one entry can contain. */
const full = (first = 0) => {
  const ports = many(1000, (number) => port(first + number));
  const addresses = many(256, (number) => address(first + number));
  return {
    host: { id: id(), name: "full" },
    ip_addresses: addresses,
    ports,
    services: many(1000, (number) =>
      service(first + number, {
        virtualization: {
          type: "Docker",
          details: { container_name: `container ${number}`, service_id: id() },
        },
        bindings: [
          { type: "Port", port_id: ports[number]?.id, ip_address_id: addresses[number % 256]?.id },
          { type: "IPAddress", ip_address_id: addresses[(number + 1) % 256]?.id },
        ],
      }),
    ),
  };
};
const one = id();
/** The same host in many entries, each with different details. */
const again = (count: number, values: (number: number) => object, host: object = {}) => ({
  hosts: many(count, (number) => ({ host: { id: one, ...host }, ...values(number) })),
});
const deep = (depth: number): unknown => (depth === 0 ? 0 : [deep(depth - 1)]);

type Entities = { hosts?: unknown[]; subnets?: unknown[] };

/**
 * The reports within a poll's limits that are the most expensive to parse, validate, merge or
 * write.
 */
const shapes: Record<string, () => Entities> = {
  "one host in many entries": () => again(9900, () => ({})),
  "one host in many entries, each with an address": () =>
    again(9000, (number) => ({ ip_addresses: [address(number)] })),
  "one host in many entries that are named by addresses": () => ({
    hosts: many(9000, (number) => ({
      host: { id: one, name: address(number).ip_address },
      ip_addresses: [address(number)],
    })),
  }),
  "one host in entries with 256 addresses each": () =>
    again(180, (number) => ({
      ip_addresses: many(256, (other) => address(256 * number + other)),
    })),
  "one host in entries with 1,000 ports each": () =>
    again(50, (number) => ({ ports: many(1000, (other) => port(1000 * number + other)) })),
  "one host in entries with 1,000 services each": () =>
    again(45, (number) => ({ services: many(1000, (other) => service(1000 * number + other)) })),
  "hosts with the maximum number of everything": () => ({
    hosts: many(10, (number) => full(number * 300)),
  }),
  "one host with the maximum number of everything, in several entries": () => ({
    hosts: many(10, (number) => ({ ...full(number * 300), host: { id: one } })),
  }),
  "many small hosts": () => ({
    hosts: many(9900, (number) => ({ host: { id: id() }, ip_addresses: [address(number)] })),
  }),
  "a service with too many bindings": () => ({
    hosts: many(4, () => ({
      host: { id: id() },
      services: many(1000, (number) =>
        service(number, { bindings: many(16, () => ({ type: "IPAddress", ip_address_id: one })) }),
      ),
    })),
  }),
  "many bindings of one service": () => ({
    hosts: many(10, () => ({
      host: { id: id() },
      ip_addresses: [{ ...address(1), id: one }],
      services: [
        service(1, { bindings: many(2000, () => ({ type: "IPAddress", ip_address_id: one })) }),
      ],
    })),
  }),
  "invalid hosts": () => ({ hosts: many(9900, () => ({})) }),
  "rejected hosts with many addresses": () =>
    again(9, () => ({ ip_addresses: many(5000, address) })),
  "rejected hosts with distinct addresses": () => ({
    hosts: many(24, (host) => ({
      host: { id: id() },
      ip_addresses: many(4900, (number) => ({
        ip_address: `10.${host}.${number >> 8}.${number & 255}`,
      })),
    })),
  }),
  "invalid addresses": () =>
    again(9, () => ({ ip_addresses: many(9000, () => ({ ip_address: "x" })) })),
  "invalid subnets": () => ({ subnets: many(9900, () => ({})) }),
  "invalid subnets of hosts": () => again(12, () => ({ subnets: many(9900, () => ({})) })),
  "thousands of subnets": () => ({
    subnets: many(9900, (number) => ({
      id: id(),
      cidr: `10.${number >> 8}.${number & 255}.0/24`,
    })),
  }),
  "long texts": () => ({
    hosts: many(30, () => ({
      host: { id: id(), name: "é".repeat(60_000), sys_descr: "\u0000".repeat(10_000) },
      services: [service(1, { name: { long: "€".repeat(20_000) } })],
    })),
  }),
  "addresses, blocks and ids that are long strings": () => ({
    hosts: many(12, () => ({
      host: { id: one },
      ip_addresses: [
        { ...address(1), mac_address: ":".repeat(200_000) },
        { ...address(1), id: "A".repeat(200_000) },
        { ...address(1), ip_address: "1:".repeat(100_000) },
      ],
    })),
    subnets: [
      { id: id(), cidr: "/".repeat(200_000) },
      { id: id(), cidr: "1:".repeat(100_000) },
    ],
  }),
  "services with long strings": () => ({
    hosts: many(12, () => ({
      host: { id: id() },
      services: many(300, (number) =>
        service(number, {
          name: "€".repeat(100),
          virtualization: { type: "Docker", details: { container_name: "€".repeat(400) } },
        }),
      ),
    })),
  }),
  "deep and wide values": () => ({
    hosts: many(150, () => ({
      host: { id: id(), tags: deep(20), virtualization: deep(20) },
      services: many(40, () => ({ ...service(1), source: deep(20) })),
    })),
  }),
  "objects with distinct fields": () => ({
    hosts: many(12, (host) => ({
      host: Object.fromEntries(many(9000, (field) => [`h${host}f${field}`, {}])),
    })),
  }),
  "one object with many fields": () => ({
    hosts: many(20, () => ({
      host: {
        id: id(),
        details: Object.fromEntries(many(9000, (field) => [`f${field}`, field])),
      },
    })),
  }),
  "hosts with long strings in unknown fields": () => ({
    hosts: many(25, () => ({
      host: { id: id(), ...Object.fromEntries(many(5, (field) => [field, "x".repeat(60_000)])) },
    })),
  }),
  "hosts with too many interfaces": () => ({
    hosts: many(12, () => ({ host: { id: id() }, interfaces: many(10_001, () => ({})) })),
  }),
  "hosts with long descriptions": () => ({
    hosts: many(25, () => ({ host: { id: id(), description: "x".repeat(300_000) } })),
  }),
  "unreadable hosts": () => ({
    hosts: many(12, () => Object.fromEntries(many(10_001, (field) => [field, 0]))),
  }),
  "a large unread field": () => ({
    hosts: [{ host: { id: id() }, interfaces: [{ if_descr: "x".repeat(7_000_000) }] }],
  }),
};

/** Returns the duration, in milliseconds, of each step from receiving a report to confirming it. */
function timesOf(entities: Entities): Record<string, number>[] {
  const times: Record<string, number>[] = [];
  const timed = <Result>(name: string, work: () => Result): Result => {
    const before = performance.now();
    const result = work();
    times.push({ [name]: performance.now() - before });
    return result;
  };
  const finish = <Result>(name: string, steps: Steps<Result>): Result => {
    for (;;) {
      const step = timed(name, () => steps.next());
      if (step.done) {
        return step.value;
      }
    }
  };
  const poll = JSON.stringify({ success: true, data: { progress: null, entities } });
  const json = new TextEncoder().encode(poll);
  expect(json.length).toBeLessThanOrEqual(pollBounds.bytes);
  const pace = new Pace();
  const { entities: sent } = finish("open", parsePoll(json, pace));
  const report = finish("convert", convertReport(network, sent, pace));
  const { parameter } = finish(
    "prepare",
    prepareReport({ source: null, observed_at: null, failed: [], ...report }),
  );
  finish("gaps", gapsOf(unstoredOf(report, []).hosts, pace));
  // The database driver and the platform do the same.
  timed("send", () => new TextEncoder().encode(JSON.stringify({ params: [parameter] })));
  const stored = {
    hosts: report.hosts.map(({ pending }) => ({ pending, id: network })),
    subnets: [],
  };
  const confirmation = finish("confirm", confirmationOf(network, stored, new Pace()));
  timed("respond", () => new TextEncoder().encode(confirmation));
  return times;
}

const timeOf = (step: Record<string, number>) => Math.max(...Object.values(step));
const slowOf = (steps: Record<string, number>[]) => steps.filter((step) => timeOf(step) >= longest);

test.each(Object.entries(shapes))(
  "no processing step for a report of %s blocks an isolate for longer than 50 ms",
  (_, shape) => {
    const entities = shape();
    let shortest = timesOf(entities);
    for (let run = 1; run < runs && slowOf(shortest).length > 0; run++) {
      const times = timesOf(entities);
      // Reports are split into the same steps every time.
      expect(times).toHaveLength(shortest.length);
      shortest = shortest.map((step, index) => {
        const other = times[index] ?? step;
        return timeOf(step) < timeOf(other) ? step : other;
      });
    }
    expect(slowOf(shortest)).toEqual([]);
  },
  120_000,
);

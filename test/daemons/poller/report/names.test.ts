import { expect, test } from "vitest";
import { sql } from "../../../helpers/database.ts";
import { raiseScanner, type Scanner, wireHost } from "../../../helpers/protocol.ts";

const reports = async (scanner: Scanner, ...hosts: unknown[]) => {
  await scanner.report({ hosts });
  await scanner.visit();
};

/** Reads all versions of the host, oldest first. */
const versions = ({ organization }: Scanner) =>
  sql`select name, hostname from hosts where organization_id = ${organization.id}
    and first_discovery_id is not null order by valid_from`;

/** A host as daemons report it in each scan: first as discovered, then with all details. */
const seen = ({ networkId }: Scanner, name: string, details: object = {}) => [
  wireHost(networkId, "10.77.0.4"),
  wireHost(networkId, "10.77.0.4", [22], { name, ...details }),
];

test("reporting an unchanged host first as discovered and then with all details does not start a new version", async () => {
  const scanner = await raiseScanner();
  for (const entry of seen(scanner, "switch", { hostname: "switch" })) {
    await reports(scanner, entry);
  }
  const before = await versions(scanner);
  expect(before.at(-1)).toMatchObject({ name: "switch" });
  for (const entry of [
    ...seen(scanner, "switch", { hostname: "switch" }),
    ...seen(scanner, "switch", { hostname: "switch" }),
  ]) {
    await reports(scanner, entry);
  }
  expect(await versions(scanner)).toEqual(before);
});

test("two entries for one host in one poll are merged, in either order", async () => {
  for (const order of [1, -1]) {
    const scanner = await raiseScanner();
    const [found, complete] = seen(scanner, "switch");
    Object.assign(Object(complete).host, { id: Object(found).host.id });
    await reports(scanner, ...[found, complete].slice(0).sort(() => order));
    expect(await versions(scanner)).toEqual([{ name: "switch", hostname: null }]);
  }
});

test("a device's own name replaces a daemon's name for it, and a hostname replaces the daemon's default name", async () => {
  const scanner = await raiseScanner();
  const name = async (details: object) => {
    await reports(scanner, wireHost(scanner.networkId, "10.77.0.4", [], details));
    return (await versions(scanner)).at(-1)?.["name"];
  };
  expect(await name({ name: "Scanopy Daemon" })).toBe("Scanopy Daemon");
  expect(await name({ name: "Scanopy Daemon", hostname: "vm" })).toBe("vm");
  expect(await name({ name: "Scanopy Daemon" })).toBe("vm");
  expect(await name({ name: "vm", hostname: "vm", sys_name: "core-1" })).toBe("core-1");
  expect(await name({ name: "vm", hostname: "vm" })).toBe("core-1");
});

test("a daemon that alternates between two names for a host does not keep starting new versions", async () => {
  const scanner = await raiseScanner();
  for (const name of ["Nginx", "Grafana"]) {
    await reports(scanner, wireHost(scanner.networkId, "10.77.0.4", [], { name }));
  }
  const before = await versions(scanner);
  for (const name of ["Nginx", "Grafana", "Nginx"]) {
    await reports(scanner, wireHost(scanner.networkId, "10.77.0.4", [], { name }));
  }
  expect(await versions(scanner)).toEqual(before);
});

test("two daemons that report a host differently do not keep starting new versions", async () => {
  const scanner = await raiseScanner();
  const { networkId } = scanner;
  const other = await raiseScanner({}, scanner.organization);
  const mine = wireHost(networkId, "10.77.0.4", [], { name: "one", hostname: "one.example.com" });
  const theirs = wireHost(networkId, "10.77.0.4", [], { name: "two", hostname: "two.lan" });
  await reports(scanner, mine);
  const before = await versions(scanner);
  await reports(other, theirs);
  await reports(scanner, mine);
  await reports(other, theirs);
  expect(await versions(scanner)).toEqual(before);
});

test("a daemon can change a name that it reported, and another daemon can do so once the first is unreachable", async () => {
  const scanner = await raiseScanner();
  const { networkId, id } = scanner;
  const other = await raiseScanner({}, scanner.organization);
  const called = (hostname: string) => wireHost(networkId, "10.77.0.4", [], { hostname });
  await reports(scanner, called("one.example.com"));
  await reports(scanner, called("uno.example.com"));
  await reports(other, called("two.lan"));
  expect(await versions(scanner)).toMatchObject([
    { hostname: "one.example.com" },
    { name: "uno.example.com", hostname: "uno.example.com" },
  ]);
  await sql`update daemons set unreachable_since = now(), consecutive_failures = 5,
    last_error = 'timed_out', last_error_at = now(),
    next_poll_at = null where id = ${id}`;
  await reports(other, called("two.lan"));
  expect((await versions(scanner)).at(-1)).toEqual({ name: "two.lan", hostname: "two.lan" });
});

test("the same container bridge on several hosts does not cause them to be merged", async () => {
  const scanner = await raiseScanner();
  const { networkId, organization } = scanner;
  await sql`insert into subnets (organization_id, network_id, cidr, name, subnet_type)
    values (${organization.id}, ${networkId}, '172.17.0.0/16', 'bridge', 'DockerBridge')`;
  const withBridge = (address: string) => {
    const host = wireHost(networkId, address);
    const bridge = wireHost(networkId, "172.17.0.1").ip_addresses;
    return { ...host, ip_addresses: [...host.ip_addresses, ...bridge] };
  };
  const hosts = [withBridge("10.77.0.4"), withBridge("10.77.0.5")];
  for (const _ of [1, 2]) {
    await reports(scanner, ...hosts);
    expect(
      await sql`select host(address.address) as address, address.host_id, subnet_id is not null as is_in_one
        from ip_addresses as address where organization_id = ${organization.id}
          and address.address = '172.17.0.1' and valid_to is null order by is_in_one`,
    ).toMatchObject([{ is_in_one: false }, { is_in_one: true }]);
    expect(await versions(scanner)).toHaveLength(2);
  }
});

test("two consolidated hosts that a daemon still reports separately do not keep starting new versions", async () => {
  const scanner = await raiseScanner();
  const { networkId, organization, poller } = scanner;
  const one = () => wireHost(networkId, "10.77.0.4", [], { hostname: "one.example.com" });
  const other = () => wireHost(networkId, "10.77.0.5", [], { hostname: "two.example.com" });
  await reports(scanner, one());
  await reports(scanner, other());
  const [into, gone] = await sql`select id from hosts where organization_id = ${organization.id}
    and first_discovery_id is not null order by hostname`;
  const answer = await poller.send(
    "PUT",
    `/api/v1/hosts/${into?.["id"]}/consolidate/${gone?.["id"]}`,
    { key: organization.keys.member },
  );
  expect(answer).toMatchObject({ status: 200 });
  await reports(scanner, one());
  const before = await versions(scanner);
  for (const host of [other(), one(), other(), other(), one()]) {
    await reports(scanner, host);
  }
  expect(await versions(scanner)).toEqual(before);
  // A report for the address at which the name was first seen can still change the name.
  await reports(scanner, wireHost(networkId, "10.77.0.4", [], { hostname: "new.example.com" }));
  expect((await versions(scanner)).at(-1)).toEqual({
    name: "new.example.com",
    hostname: "new.example.com",
  });
});

test("a host that a daemon once reported at a second address is still updated by later reports", async () => {
  const scanner = await raiseScanner();
  const { networkId, organization } = scanner;
  const seenAt = (address: string, details: object) => {
    const host = wireHost(networkId, address, [], details);
    const mac_address = "02:00:5E:00:00:01";
    return {
      ...host,
      ip_addresses: host.ip_addresses.map((known) => ({ ...known, mac_address })),
    };
  };
  const old = { hostname: "web", sys_descr: "IOS 1", sys_location: "rack 1" };
  await reports(scanner, seenAt("10.77.0.4", old));
  await reports(scanner, seenAt("10.77.0.5", old));
  const now = { hostname: "web-new", sys_descr: "IOS 2", sys_location: "rack 2" };
  await reports(scanner, seenAt("10.77.0.4", now));
  expect(
    await sql`select name, hostname, operating_system, sys_location from hosts
      where organization_id = ${organization.id} and first_discovery_id is not null and valid_to is null`,
  ).toEqual([
    { name: "web-new", hostname: "web-new", operating_system: "IOS 2", sys_location: "rack 2" },
  ]);
});

test("a host stores at most eight names from daemons, whichever daemon confirms them", async () => {
  const scanner = await raiseScanner();
  const { networkId, id } = scanner;
  const other = await raiseScanner({}, scanner.organization);
  const called = (n: number) => wireHost(networkId, "10.77.0.4", [], { name: `name ${n}` });
  await reports(scanner, called(1));
  await sql`update daemons set unreachable_since = now(), consecutive_failures = 5,
    last_error = 'timed_out', last_error_at = now(), next_poll_at = null where id = ${id}`;
  for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
    await reports(other, called(n));
  }
  expect((await versions(scanner)).map(({ name }) => name)).toEqual(
    [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `name ${n}`),
  );
});

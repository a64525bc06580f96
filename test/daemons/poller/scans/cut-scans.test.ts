import { expect, test } from "vitest";
import { sql } from "../../../helpers/database.ts";
import { raiseScanner, type Scanner, wireHost } from "../../../helpers/protocol.ts";
import { scan } from "../../../helpers/scans.ts";

/** A host as a daemon reports it for one of its interfaces. */
const seen = ({ networkId }: Scanner, address: string, mac_address: string, hostname: string) => {
  const host = wireHost(networkId, address, [22], { hostname });
  return { ...host, ip_addresses: host.ip_addresses.map((known) => ({ ...known, mac_address })) };
};

/** The currently discovered hosts, and the total number of their versions. */
const hostsOf = async ({ organization }: Scanner) => {
  const rows = await sql`select hostname, valid_to, array(
      select host(known.address) from ip_addresses as known
      where known.organization_id = ${organization.id} and known.live_host_id = hosts.id
      order by known.address) as addresses
    from hosts where organization_id = ${organization.id} and first_discovery_id is not null
    order by hostname`;
  const live = rows.filter((row) => row["valid_to"] === null);
  return {
    versions: rows.length,
    hosts: live.map((row) => [row["hostname"], row["addresses"]]),
  };
};

const mac = "02:00:00:00:00:0a";

test.each([
  ["in one poll", true],
  ["in separate polls", false],
])(
  "addresses of one interface that have different hostnames and are seen %s do not start new versions",
  async (_, isOne) => {
    const scanner = await raiseScanner();
    const both = () => [
      seen(scanner, "10.77.0.3", mac, "nas.example"),
      seen(scanner, "fd00::3", mac, "nas-v6.example"),
    ];
    for (let scans = 0; scans < 3; scans++) {
      const [first, last] = both();
      await scan(scanner, isOne ? { hosts: both() } : { hosts: [first], last: [last] });
      expect(await hostsOf(scanner)).toEqual({
        versions: 2,
        hosts: [
          ["nas-v6.example", ["fd00::3"]],
          ["nas.example", ["10.77.0.3"]],
        ],
      });
    }
  },
);

test.each(["first", "last"])(
  "two devices that a user recorded as one host do not keep starting new versions, with the %s device reported first",
  async (one) => {
    const scanner = await raiseScanner();
    const { organization, networkId, poller } = scanner;
    const id = crypto.randomUUID();
    const created = await poller.send("POST", "/api/v1/hosts", {
      key: organization.keys.member,
      json: {
        id,
        network_id: networkId,
        name: "pair",
        ip_addresses: [{ ip_address: "10.77.0.3" }, { ip_address: "10.77.0.4" }],
      },
    });
    expect(created).toMatchObject({ status: 201 });
    const versions = () =>
      sql`select hostname, valid_to is null as is_live from hosts
      where organization_id = ${organization.id} and coalesce(lineage_id, id) = ${id} order by valid_from`;
    const devices = () => [
      wireHost(networkId, "10.77.0.3", [22], { hostname: "a.example" }),
      wireHost(networkId, "10.77.0.4", [22], { hostname: "b.example" }),
    ];
    const scanBoth = () => {
      const [first, last] = one === "first" ? devices() : devices().reverse();
      return scan(scanner, { hosts: [first], last: [last] });
    };
    await scanBoth();
    const before = await versions();
    expect(before.length).toBeGreaterThan(1);
    await scanBoth();
    await scanBoth();
    expect(await versions()).toEqual(before);
  },
);

test("an address that moved to another device is moved, even if its previous host is reported in another poll", async () => {
  const scanner = await raiseScanner();
  const laptop = (address: string) => seen(scanner, address, mac, "laptop");
  const printer = () => seen(scanner, "10.77.0.3", "02:00:00:00:00:0b", "printer");
  await scan(scanner, { hosts: [laptop("10.77.0.3")] });
  await scan(scanner, { hosts: [laptop("10.77.0.4")] });
  for (let scans = 0; scans < 2; scans++) {
    await scan(scanner, { hosts: [printer()], last: [laptop("10.77.0.4")] });
    expect(await hostsOf(scanner)).toMatchObject({
      hosts: [
        ["laptop", ["10.77.0.4"]],
        ["printer", ["10.77.0.3"]],
      ],
    });
  }
});

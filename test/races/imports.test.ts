import { openImports } from "../imports/helpers.ts";
import { atOnce, describeRace, type Race } from "./race.ts";

type Imports = Awaited<ReturnType<typeof openImports>>;

/** The report of one of two reporters. Both report the same hosts, with different names. */
const reportOf = (reporter: number) =>
  Array.from({ length: 4 }, (_, host) => ({
    name: `seen by ${reporter}`,
    addresses: [{ ip_address: `10.0.0.${host}`, mac_address: `02:00:00:00:00:0${host}` }],
    ports: [{ number: 8000 + reporter, protocol: "Tcp", service: { name: `web ${reporter}` } }],
  }));

/**
 * Sends two reports for one network at the same time. The result must be the same as if they were
 * sent one after the other.
 */
const raceOf = (report: (imports: Imports, reporter: number) => Promise<number>): Race => ({
  async round() {
    const imports = await openImports();
    const created = await atOnce(2, (reporter) => report(imports, reporter));
    const hosts = await imports.list("hosts");
    const addresses = hosts.flatMap(({ ip_addresses }) =>
      ip_addresses.map((one) => one.ip_address),
    );
    const bindings = await imports.list("bindings");
    return [
      ...(hosts.length === 4 ? [] : [`${hosts.length} hosts`]),
      ...(new Set(addresses).size === addresses.length ? [] : ["a duplicate address"]),
      ...(new Set(hosts.map(({ name }) => name)).size === 1 ? [] : ["names from both reports"]),
      ...(bindings.length === 8 ? [] : [`${bindings.length} bindings`]),
      ...(created.sort().join() === "0,4" ? [] : [`created ${created}`]),
    ];
  },
});

describeRace("two reports of one network at once", {
  design: raceOf(async ({ take }, reporter) => {
    // Reports that list the hosts in opposite orders would deadlock if each host were locked
    // separately.
    const hosts = reporter === 0 ? reportOf(reporter) : reportOf(reporter).reverse();
    return (await take(hosts)).counts.created;
  }),
  naive: {
    name: "a search in one call and the creation in the next",
    race: raceOf(async ({ create, list }, reporter) => {
      let created = 0;
      for (const { name, addresses } of reportOf(reporter)) {
        const [address] = addresses;
        if (address && (await list("hosts", { ip: address.ip_address })).length === 0) {
          await create("hosts", { name, ip_addresses: addresses });
          created++;
        }
      }
      return created;
    }),
  },
});

import { openImports } from "../imports/helpers.ts";
import { atOnce, describeRace, type Race } from "./race.ts";

type Imports = Awaited<ReturnType<typeof openImports>>;

/** What one of two reporters says: hosts that both see, each under the reporter's own name. */
const reportOf = (reporter: number) =>
  Array.from({ length: 4 }, (_, host) => ({
    name: `seen by ${reporter}`,
    addresses: [{ ip_address: `10.0.0.${host}`, mac_address: `02:00:00:00:00:0${host}` }],
    ports: [{ number: 8000 + reporter, protocol: "Tcp", service: { name: `web ${reporter}` } }],
  }));

/** Two reports of one network at once: what is left is what one after the other would leave. */
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
      ...(new Set(addresses).size === addresses.length ? [] : ["an address twice"]),
      ...(new Set(hosts.map(({ name }) => name)).size === 1 ? [] : ["names of both reports"]),
      ...(bindings.length === 8 ? [] : [`${bindings.length} bindings`]),
      ...(created.sort().join() === "0,4" ? [] : [`created ${created}`]),
    ];
  },
});

describeRace("two reports of one network at once", {
  design: raceOf(async ({ take }, reporter) => {
    // Hosts in the other order would deadlock where each is locked by itself.
    const hosts = reporter === 0 ? reportOf(reporter) : reportOf(reporter).reverse();
    return (await take(hosts)).counts.created;
  }),
  naive: {
    name: "a look at what is there in one call and the import in the next",
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

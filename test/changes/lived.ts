import { randomOf } from "../model/random.ts";
import { openChanges } from "./helpers.ts";

/** Creates an inventory, and makes many random changes to its hosts and their children. */
export async function openLived(seed: string) {
  const random = randomOf(seed);
  const inventory = await openChanges();
  const { create, send, list, network_id } = inventory;
  const anyHost = async () => random.oneOf(await list("hosts")).id;
  const port = () => ({ number: 1 + random.below(20), protocol: random.oneOf(["Tcp", "Udp"]) });
  const acts = [
    () => create("hosts", { name: `host ${random.below(9)}`, ports: [port()] }),
    async () => send("PATCH", `hosts/${await anyHost()}`, { name: `host ${random.below(9)}` }),
    async () => send("PATCH", `hosts/${await anyHost()}`, { ports: [port()] }),
    async () =>
      send("PATCH", `hosts/${await anyHost()}`, {
        interfaces: [{ if_index: 1 + random.below(3), speed_bps: 2 ** random.below(50) }],
      }),
    async () => send("POST", "ports", { ...port(), host_id: await anyHost() }),
    async () => send("PUT", `hosts/${await anyHost()}/consolidate/${await anyHost()}`),
    async () =>
      (await list("hosts")).length > 3 ? send("DELETE", `hosts/${await anyHost()}`) : null,
    () => send("POST", "subnets", { network_id, cidr: `10.0.${random.below(3)}.0/24` }),
    async () => {
      const collection = random.oneOf(["bindings", "ports", "services"] as const);
      const record = random.pick(await list(collection));
      return record && send("DELETE", `${collection}/${record.id}`);
    },
    async () => {
      const [subnet] = await list("subnets");
      return subnet && send("DELETE", `subnets/${subnet.id}`);
    },
    () =>
      send("POST", `networks/${network_id}/imports`, {
        hosts: [1, 2].map((at) => ({
          addresses: [{ ip_address: `10.0.${random.below(3)}.${at + 2 * random.below(4)}` }],
          ports: [{ ...port(), service: { name: random.oneOf(["Web", "Mail"]) } }],
          scanned_ports: [{ protocol: "Tcp", from: 1, to: 20 }],
        })),
      }),
  ];
  for (let step = 0; step < 40; step++) {
    await random.oneOf(acts)();
  }
  return { ...inventory, random };
}

import { type Inventory, openInventory } from "../helpers/inventory.ts";
import { atOnce, describeRace, type Race } from "./race.ts";

const writers = 8;
const readers = 4;

interface Scene {
  inventory: Inventory;
  host_id: string;
  service_id: string;
  written: number;
}

async function openScene(): Promise<Scene> {
  const inventory = await openInventory();
  const service_id = crypto.randomUUID();
  const { id: host_id } = await inventory.create("hosts", {
    name: "start",
    services: [{ id: service_id, name: "start" }],
  });
  return { inventory, host_id, service_id, written: 0 };
}

/**
 * The faults in a list, which must contain exactly one host. The host's service must have the
 * host's name, and be bound to a port in the list.
 */
async function faultsOf({ inventory }: Scene, query: Record<string, string>): Promise<string[]> {
  const hosts = await inventory.list("hosts", { limit: "0", ...query });
  return [
    ...(hosts.length === 1 ? [] : [`${hosts.length} hosts`]),
    ...hosts.flatMap(({ name, ports, services }) => [
      ...services.filter((service) => service.name !== name).map((one) => `${name}: ${one.name}`),
      ...services
        .flatMap(({ bindings }) => bindings)
        // A port version that has ended has a different id.
        .filter(
          ({ port_id }) => !ports.some(({ id, lineage_id }) => (lineage_id ?? id) === port_id),
        )
        .map(({ port_id }) => `${name}: no port ${port_id}`),
    ]),
  ];
}

/**
 * Eight writers rename one host and its service while readers list them, now and at past instants.
 */
function race(write: (scene: Scene, word: string) => Promise<readonly number[]>): Race {
  let opened: Promise<Scene> | undefined;
  return {
    async round() {
      opened ??= openScene();
      const scene = await opened;
      const writing = atOnce(writers, async () => {
        scene.written += 1;
        return await write(scene, `word ${scene.written}`);
      });
      const reading = atOnce(readers, async (reader) =>
        faultsOf(scene, reader % 2 === 0 ? {} : { at: new Date().toISOString() }),
      );
      const statuses = (await writing).flat();
      const [live] = await scene.inventory.list("hosts", { limit: "0" });
      const then = await faultsOf(scene, { at: live?.valid_from ?? "" });
      return [
        ...statuses.filter((status) => status !== 200 && status !== 409).map(String),
        ...(statuses.includes(200) ? [] : ["no writer succeeded"]),
        ...(await reading).flat(),
        ...then,
      ];
    },
  };
}

const treeOf = ({ inventory: { network_id }, service_id }: Scene, name: string) => {
  const port = { id: crypto.randomUUID(), number: 443, protocol: "Tcp" };
  const bindings = [{ type: "Port", port_id: port.id }];
  return { network_id, name, ports: [port], services: [{ id: service_id, name, bindings }] };
};

describeRace("eight writers of one host's tree, with readers", {
  roundMs: 5000,
  design: race(async (scene, word) => {
    const path = `hosts/${scene.host_id}`;
    return [(await scene.inventory.send("PUT", path, treeOf(scene, word))).status];
  }),
  naive: {
    name: "a separate request for each record",
    race: race(async ({ inventory: { send, network_id }, host_id, service_id }, word) => [
      (await send("PUT", `hosts/${host_id}`, { network_id, name: word })).status,
      (await send("PUT", `services/${service_id}`, { host_id, name: word })).status,
    ]),
  },
});

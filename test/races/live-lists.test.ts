import { describe } from "vitest";
import * as z from "zod";
import { type Inventory, openInventory } from "../helpers/inventory.ts";
import { atOnce, describeRace, type Race } from "./race.ts";

const writers = 4;
const hosts = 12;
/** The difference between the numbers of a host's two ports. */
const apart = 30_000;
/**
 * The number of ports whose numbers are between those of the paired ports. They do not all fit in
 * the first chunk of a list.
 */
const between = 900;

const page = z.object({
  data: z.array(z.looseObject({ host_id: z.string(), number: z.int() })),
  meta: z.object({
    pagination: z.object({ total_count: z.int(), next_cursor: z.string().nullable() }),
  }),
});
type Page = z.output<typeof page>;

interface Scene {
  inventory: Inventory;
  ids: string[];
  generation: number;
}

/** The two ports of a host, which are always changed together. */
const portsOf = (generation: number) =>
  [1, 1 + apart].map((from) => ({ number: from + (generation % 10_000), protocol: "Tcp" }));

async function openScene(): Promise<Scene> {
  const inventory = await openInventory();
  const ids = Array.from({ length: hosts }, () => crypto.randomUUID());
  await inventory.send(
    "POST",
    "hosts/bulk",
    ids.map((id) => ({ id, network_id: inventory.network_id, name: "host", ports: portsOf(0) })),
  );
  await inventory.create("hosts", {
    name: "between",
    ports: Array.from({ length: between }, (_, index) => ({
      number: 20_000 + index,
      protocol: "Tcp",
    })),
  });
  return { inventory, ids, generation: 0 };
}

/**
 * The faults in a list of all ports. Each host must have two ports from the same change, and the
 * list must contain `total_count` records.
 */
function faultsOf({ data, meta }: Page): string[] {
  const numbers = Map.groupBy(data, ({ host_id }) => host_id);
  return [
    ...(meta.pagination.total_count === data.length
      ? []
      : [`${data.length} of ${meta.pagination.total_count}`]),
    ...[...numbers.values()]
      .map((ports) => ports.map(({ number }) => number).sort((a, b) => a - b))
      .filter((ports) => ports.length !== between)
      .filter(([low = 0, high = 0, ...more]) => high - low !== apart || more.length > 0)
      .map((ports) => `ports ${ports.join()}`),
  ];
}

/** Writers replace both ports of hosts, and delete and create hosts, while all ports are read. */
function race(readAll: (scene: Scene) => Promise<Page>): Race {
  let opened: Promise<Scene> | undefined;
  return {
    async round() {
      opened ??= openScene();
      const scene = await opened;
      const { inventory, ids } = scene;
      const body = () => {
        scene.generation += 1;
        return { network_id: inventory.network_id, name: "host", ports: portsOf(scene.generation) };
      };
      let isWriting = true;
      const writing = atOnce(writers, async (writer) => {
        for (let at = writer; at < ids.length; at += writers) {
          if (at % 3 === 0) {
            await inventory.send("DELETE", `hosts/${ids[at]}`);
            ids[at] = crypto.randomUUID();
            await inventory.send("POST", "hosts", { id: ids[at], ...body() });
          } else {
            await inventory.send("PUT", `hosts/${ids[at]}`, body());
          }
        }
      }).finally(() => {
        isWriting = false;
      });
      const faults: string[] = [];
      while (isWriting) {
        faults.push(...faultsOf(await readAll(scene)));
      }
      await writing;
      return faults;
    },
  };
}

const read = async ({ inventory }: Scene, query: string, order = "number") =>
  page.parse(
    (
      await inventory.send(
        "GET",
        `ports?network_id=${inventory.network_id}&order_by=${order}${query}`,
      )
    ).body,
  );

/** Reads all ports page by page, with cursors. */
const walk = (order: string) => async (scene: Scene) => {
  const first = await read(scene, "&limit=300", order);
  const data = [...first.data];
  for (let cursor = first.meta.pagination.next_cursor; cursor !== null; ) {
    const next = await read(scene, `&limit=300&cursor=${cursor}`, order);
    data.push(...next.data);
    cursor = next.meta.pagination.next_cursor;
  }
  return { data, meta: first.meta };
};

/** Reads all ports in two pages, with offsets. */
const twoPages = (order: string) => async (scene: Scene) => {
  const [first, second] = [
    await read(scene, "&limit=500", order),
    await read(scene, "&limit=1000&offset=500", order),
  ];
  return { data: [...first.data, ...second.data], meta: first.meta };
};

describeRace("four writers, with readers of all ports", {
  roundMs: 5000,
  design: race((scene) => read(scene, "&limit=0")),
  naive: { name: "one page after the other", race: race(twoPages("number")) },
});

describe.each(["created_at", "number"])("ordered by %s,", (order) => {
  describeRace("four writers, with readers of all ports by cursor", {
    roundMs: 5000,
    design: race(walk(order)),
    naive: { name: "offsets instead of cursors", race: race(twoPages(order)) },
  });
});

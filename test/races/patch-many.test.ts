import { refusalOf, sql } from "../helpers/database.ts";
import { type Inventory, openInventory } from "../helpers/inventory.ts";
import { atOnce, describeRace, type Race } from "./race.ts";

/** The number of requests at the same time, each of which changes one service of each host. */
const writers = 2;

/** Gives all services another name, in their order. Returns an error or null. */
type Rename = (inventory: Inventory, services: readonly string[]) => Promise<string | null>;

/** Renames different services of the same hosts at the same time, in opposite orders. */
function siblingsRace(rename: Rename): Race {
  let opened: Promise<{ inventory: Inventory; services: string[][] }> | undefined;
  const open = async () => {
    const inventory = await openInventory();
    const hosts = await atOnce(4, async (host) =>
      inventory.create("hosts", {
        name: `Host ${host}`,
        services: Array.from({ length: writers }, (_, name) => ({ name: `${name}` })),
      }),
    );
    const services = Array.from({ length: writers }, (_, writer) => {
      const own = hosts.map(({ services: all }) => all[writer]?.id ?? "");
      return writer % 2 === 0 ? own : own.toReversed();
    });
    return { inventory, services };
  };
  return {
    async round() {
      opened ??= open();
      const { inventory, services } = await opened;
      const outcomes = await Promise.all(services.map((own) => rename(inventory, own)));
      return outcomes.filter((outcome) => outcome !== null);
    },
  };
}

describeRace("services of the same hosts are patched in opposite orders without a 409", {
  design: siblingsRace(async ({ send }, services) => {
    const name = crypto.randomUUID();
    const json = services.map((id) => ({ id, name }));
    const { status, text } = await send("PATCH", "services/bulk", json);
    return status === 200 ? null : `${status} ${text}`;
  }),
  naive: {
    name: "locks in the order of the writes",
    race: siblingsRace(({ organization: { id: organization } }, services) =>
      sql
        .transaction(
          services.map(
            (id) => sql`update services set name = ${crypto.randomUUID()}
              where organization_id = ${organization} and id = ${id}`,
          ),
        )
        .then(
          () => null,
          async (error: unknown) => (await refusalOf(Promise.reject(error))).code ?? "refused",
        ),
    ),
  },
  roundMs: 2500,
});

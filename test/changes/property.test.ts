import { expect, test } from "vitest";
import { diffSchema } from "../../src/changes/model.ts";
import { inventoryCollections } from "../helpers/inventory.ts";
import { randomOf } from "../model/random.ts";
import { openChanges } from "./helpers.ts";
import { differencesOf, inOrder, pathOf, replay, type State } from "./replay.ts";

/** What a list shows of an instant, by collection and id. */
async function stateAt({ list }: Awaited<ReturnType<typeof openChanges>>, at: string) {
  const state = new Map<string, Record<string, unknown>>();
  for (const name of inventoryCollections) {
    for (const { lineage_id, ...record } of await list(name, { at, limit: "1000" })) {
      const id = lineage_id ?? record.id;
      state.set(`${name}/${id}`, { ...record, id });
    }
  }
  return state;
}

test.each(["1", "2", "3"])(
  "what there was and what changed since are what there is, with seed %s",
  {
    timeout: 60_000,
  },
  async (seed) => {
    const random = randomOf(seed);
    const inventory = await openChanges();
    const { create, send, list, network_id, follow } = inventory;
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
    const changes = await follow({ network_id, include: "records" });
    const instants = [...new Set(changes.map(({ at }) => at))];
    let state: State = new Map();
    let since = "0001-01-01T00:00:00.000Z";
    const states = [{ at: since, state }];
    for (const at of random
      .some(instants, 12)
      .sort()
      .concat(instants.at(-1) ?? "")) {
      const between = changes.filter((change) => change.at > since && change.at <= at);
      const next = replay(state, between);
      expect(next.misfits).toEqual([]);
      state = next.state;
      const shown = await stateAt(inventory, at);
      expect([...state.keys()].sort()).toEqual([...shown.keys()].sort());
      for (const [key, record] of state) {
        expect(shown.get(key), `${key} at ${at}`).toMatchObject(record);
      }
      since = at;
      states.push({ at, state });
    }
    for (const [index, later] of states.entries()) {
      for (const earlier of random.some(states.slice(0, index + 1), 4)) {
        const query = {
          from: earlier.at,
          to: later.at,
          network_id,
          include: "records",
          limit: "0",
        };
        const answer = await send("GET", `diff?${new URLSearchParams(query)}`);
        expect(answer).toMatchObject({ status: 200, body: { data: { to: later.at } } });
        const { items, counts } = diffSchema.parse((answer.body as { data: unknown }).data);
        const differing = new Map(
          items.map(({ at, change, before, after, ...item }) => [
            pathOf(item),
            { at, change, before, after },
          ]),
        );
        const between = changes.filter(({ at }) => at > earlier.at && at <= later.at);
        expect(differing).toEqual(differencesOf(earlier.state, later.state, between));
        expect(new Set(items.map(({ id }) => id)).size).toBe(items.length);
        expect(items).toEqual(items.toSorted(inOrder));
        for (const [entity, { added, removed, changed, returned }] of Object.entries(counts)) {
          expect(added + removed + changed + returned).toBe(
            items.filter((item) => item.entity === entity).length,
          );
        }
      }
    }
  },
);

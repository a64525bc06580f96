import { expect, test } from "vitest";
import type { Change } from "../../src/changes/model.ts";
import { inventoryCollections } from "../helpers/inventory.ts";
import { randomOf } from "../model/random.ts";
import { openChanges } from "./helpers.ts";

/** The collection of each kind of record. */
const collections = {
  Binding: "bindings",
  Host: "hosts",
  IPAddress: "ip-addresses",
  Interface: "interfaces",
  Port: "ports",
  Service: "services",
  Subnet: "subnets",
} as const satisfies Record<Change["entity"], (typeof inventoryCollections)[number]>;

type Fields = NonNullable<Change["after"]>;
type State = Map<string, Fields>;

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

/** A state after some changes; each must fit what it finds. */
function changed(before: State, changes: readonly Change[]): State {
  const state = new Map(before);
  for (const change of changes) {
    const key = `${collections[change.entity]}/${change.entity_id}`;
    expect(state.get(key) ?? null).toEqual(change.before);
    if (change.after) {
      state.set(key, change.after);
    } else {
      state.delete(key);
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
    let since = "";
    for (const at of random
      .some(instants, 12)
      .sort()
      .concat(instants.at(-1) ?? "")) {
      const between = changes.filter((change) => change.at > since && change.at <= at);
      state = changed(state, between);
      const shown = await stateAt(inventory, at);
      expect([...state.keys()].sort()).toEqual([...shown.keys()].sort());
      for (const [key, record] of state) {
        expect(shown.get(key), `${key} at ${at}`).toMatchObject(record);
      }
      since = at;
    }
  },
);

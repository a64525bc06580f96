import { expect, test } from "vitest";
import { type Change, diffSchema } from "../../src/changes/model.ts";
import { changeEntities } from "../../src/database/tables/index.ts";
import { inventoryCollections } from "../helpers/inventory.ts";
import { limitCases } from "../helpers/limit-cases.ts";
import { changePage, type openChanges } from "./helpers.ts";
import { bucketsOf, histogramOf, sumOf } from "./histograms.ts";
import { openLived } from "./lived.ts";
import { differencesOf, type Fields, inOrder, pathOf, replay, type State } from "./replay.ts";

/** The records of all lists at an instant, by collection and id. */
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

/**
 * Groups changes with whole records by the hosts they belong to, before or after the change. A
 * binding belongs to the host of its service.
 */
function changesByHost(changes: readonly Change[]) {
  const hostOfService = new Map<unknown, unknown>();
  const found = new Map<unknown, Change[]>();
  for (const ofInstant of Map.groupBy(changes, ({ at }) => at).values()) {
    const services = ofInstant.filter(({ entity }) => entity === "Service");
    const former = new Map(hostOfService);
    for (const { entity_id, after } of services) {
      hostOfService.set(entity_id, after?.["host_id"]);
    }
    for (const change of ofInstant) {
      const hostOf = (record: Fields | null, hosts: typeof former) =>
        change.entity === "Host"
          ? change.entity_id
          : change.entity === "Binding"
            ? hosts.get(record?.["service_id"])
            : record?.["host_id"];
      const on = new Set([
        ...(change.before ? [hostOf(change.before, former)] : []),
        ...(change.after ? [hostOf(change.after, hostOfService)] : []),
      ]);
      for (const host of on) {
        found.set(host, [...(found.get(host) ?? []), change]);
      }
    }
  }
  return found;
}

test.each(limitCases(["1", "2", "3"], 1))(
  "a state and the changes since then add up to every later state, with seed %s",
  {
    timeout: 60_000,
  },
  async (seed) => {
    const inventory = await openLived(seed);
    const { random, send, network_id, follow } = inventory;
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
      const read = await stateAt(inventory, at);
      expect([...state.keys()].sort()).toEqual([...read.keys()].sort());
      for (const [key, record] of state) {
        expect(read.get(key), `${key} at ${at}`).toMatchObject(record);
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

test.each(limitCases(["1", "2", "3"], 1))(
  "the timeline of a host equals the feed's changes to the host and its children, with seed %s",
  {
    timeout: 60_000,
  },
  async (seed) => {
    const { random, get, network_id, follow } = await openLived(seed);
    const changes = await follow({ network_id, include: "records" });
    const hosts = new Set(
      changes.filter(({ entity }) => entity === "Host").map(({ entity_id }) => entity_id),
    );
    const own = changesByHost(changes);
    for (const host of hosts) {
      const expected = own.get(host) ?? [];
      expect(await follow({ host_id: host, include: "records" })).toEqual(expected);
      expect(
        await follow({ host_id: host, include: "records", limit: `${1 + random.below(4)}` }),
      ).toEqual(expected);
      for (const include_children of ["true", "false"]) {
        const timeline = [];
        let meta = { has_more: true, next_cursor: "" };
        while (meta.has_more) {
          const limit = `${1 + random.below(4)}`;
          const query = { include: "records", include_children, limit };
          const answer = await get(
            `hosts/${host}/timeline?${new URLSearchParams(meta.next_cursor ? { ...query, cursor: meta.next_cursor } : query)}`,
          );
          expect(answer).toMatchObject({ status: 200 });
          const page = changePage.parse(answer.body);
          timeline.push(...page.data);
          meta = page.meta;
        }
        expect(timeline.reverse()).toEqual(
          expected.filter(({ entity }) => include_children === "true" || entity === "Host"),
        );
      }
    }
  },
);

test.each(limitCases(["1", "2", "3"], 1))(
  "a histogram counts exactly the changes of the feed between its instants, with seed %s",
  {
    timeout: 60_000,
  },
  async (seed) => {
    const { random, get, network_id, follow, list } = await openLived(seed);
    const all = await follow();
    const begins = Date.parse(all[0]?.at ?? "") - 5;
    const ends = Date.parse(all.at(-1)?.at ?? "") + 1;
    const hosts = (await list("hosts")).slice(0, 3);
    const ofHosts = new Map<string, Change[]>();
    for (const { id } of hosts) {
      ofHosts.set(id, await follow({ host_id: id }));
    }
    for (let round = 0; round < 20; round++) {
      const [from = 0, to = 0] = [0, 0]
        .map(() => begins + random.below(ends - begins + 1))
        .sort((one, other) => one - other);
      const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      const buckets = random.oneOf([1, 2, 7, 100, 500]);
      const [onNetwork, entity, host] = [
        random.below(2) === 0,
        random.below(3) === 0 ? random.oneOf(changeEntities) : undefined,
        random.below(3) === 0 ? random.oneOf(hosts) : undefined,
      ];
      const histogram = await histogramOf(get, {
        ...range,
        buckets: `${buckets}`,
        ...(onNetwork && { network_id }),
        ...(entity && { entity }),
        ...(host && { host_id: host.id }),
      });
      const expected = (host ? (ofHosts.get(host.id) ?? []) : all).filter(
        (change) =>
          change.at > range.from &&
          change.at <= range.to &&
          (!onNetwork || change.network_id === network_id) &&
          (entity === undefined || change.entity === entity),
      );
      expect(histogram).toMatchObject({
        ...range,
        interval_ms: Math.max(1, Math.ceil((to - from) / buckets)),
        is_estimate: false,
      });
      expect(sumOf(histogram)).toBe(expected.length);
      // A record that moves to another host is an update in the feeds of both hosts.
      expect(histogram.buckets).toMatchObject(
        bucketsOf(expected, histogram).map(({ begun, changed, ended, ...bucket }) =>
          host ? bucket : { ...bucket, begun, changed, ended },
        ),
      );
    }
  },
);

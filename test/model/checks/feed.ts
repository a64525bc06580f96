import type { Change, Diff } from "../../../src/changes/model.ts";
import {
  differencesOf,
  type Fields,
  inOrder,
  pathOf,
  replay,
  type State,
} from "../../changes/replay.ts";
import { inventoryCollections } from "../../helpers/inventory.ts";
import { differenceOf, type Fault } from "../fault.ts";
import type { Random } from "../random.ts";
import type { State as CurrentState, Inventory } from "../state.ts";
import type { World } from "../world.ts";

/** Earlier than every change. */
const beginning = "0001-01-01T00:00:00.000Z";

const positionOf = ({ at, entity, entity_id }: Change) => `${at} ${entity} ${entity_id}`;

/** The fields of a listed record that a change's complete record also has. */
const picked = (listed: object, fields: Fields): unknown =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, Object(listed)[name]]));

/**
 * Follows an organization's changes with a cursor (API contract, section 11). Replaying the changes
 * must reproduce the lists, now and at every past instant.
 */
export class Feed {
  #cursor: string | undefined;
  #state: State = new Map();
  readonly #read: Change[] = [];
  /** The hosts of each service over time, according to its changes. */
  readonly #services = new Map<string, { at: string; host: unknown }[]>();

  /** Reads all changes since the last call, possibly while clients are writing. */
  async read(world: World, random: Random): Promise<Fault[]> {
    const query = { include: "records", limit: String(1 + random.below(200)) };
    const { changes, cursor } = await pagesOf(world, "changes", {
      ...query,
      ...(this.#cursor !== undefined && { cursor: this.#cursor }),
    });
    this.#cursor = cursor;
    const faults: Fault[] = [];
    for (const change of changes) {
      const last = this.#read.at(-1);
      if (last && positionOf(last) >= positionOf(change)) {
        const difference = { last: positionOf(last), next: positionOf(change) };
        faults.push({ check: "changes out of order", where: "changes", difference });
      }
      this.#read.push(change);
      if (change.entity === "Service") {
        const { at, after } = change;
        const hosts = this.#services.get(change.entity_id) ?? [];
        this.#services.set(change.entity_id, [...hosts, { at, host: after?.["host_id"] ?? null }]);
      }
    }
    for (const change of changes) {
      const where = `${pathOf(change)} at ${change.at}`;
      const host = this.#hostsOf(change).at(-1) ?? null;
      faults.push(...faultOf("host_id of a change", where, host, change.host_id));
    }
    const { state, misfits } = replay(this.#state, changes);
    this.#state = state;
    return [
      ...faults,
      ...misfits.map(({ change, found }) => ({
        check: "the state before a change is not the replayed state",
        where: `${pathOf(change)} at ${change.at}`,
        difference: differenceOf(found, change.before),
      })),
    ];
  }

  /** Checks that the changes reproduce the current lists. There must be no concurrent writers. */
  judge({ inventory }: CurrentState): Fault[] {
    return differing("changes do not reproduce the current lists", "now", this.#state, inventory);
  }

  /**
   * Checks the past: the lists at an instant, a diff between two instants, filters, and the
   * timeline of a record.
   */
  async judgePast(world: World, random: Random): Promise<Fault[]> {
    const instants = [beginning, ...new Set(this.#read.map(({ at }) => at))];
    const [from, to] = [random.oneOf(instants), random.oneOf(instants)].sort();
    const chosen = random.pick(this.#read);
    if (from === undefined || to === undefined || chosen === undefined) {
      return [];
    }
    return [
      ...differing(
        "changes do not reproduce the past lists",
        to,
        this.#stateAt(to),
        await world.inventory(to),
      ),
      ...(await this.#judgeDiff(world, from, to)),
      ...(await this.#judgeFilters(world, random, from, chosen)),
      ...(await this.#judgeTimeline(world, random, chosen)),
    ];
  }

  /** A record's hosts before and after a change. */
  #hostsOf({ entity, at, before, after }: Change): unknown[] {
    const hostOf = (fields: Fields, isHeld: (since: string) => boolean): unknown => {
      if (entity === "Host") {
        return fields["id"];
      }
      // A binding is on its service's host. If the service moves to another host, the binding does
      // not get a new version.
      return entity === "Binding"
        ? this.#services.get(String(fields["service_id"]))?.findLast((one) => isHeld(one.at))?.host
        : fields["host_id"];
    };
    return [
      ...(before ? [hostOf(before, (since) => since < at)] : []),
      ...(after ? [hostOf(after, (since) => since <= at)] : []),
    ];
  }

  #between(from: string, to: string): Change[] {
    return this.#read.filter(({ at }) => at > from && at <= to);
  }

  #stateAt(instant: string): State {
    return replay(new Map(), this.#between(beginning, instant)).state;
  }

  async #judgeDiff(world: World, from: string, to: string): Promise<Fault[]> {
    const path = `diff?${new URLSearchParams({ from, to, include: "records", limit: "0" })}`;
    const { data } = await read<{ data: Diff }>(world, path);
    const expected = differencesOf(this.#stateAt(from), this.#stateAt(to), this.#between(from, to));
    const actual = new Map(
      data.items.map((item) => {
        const { at, change, before, after } = item;
        return [pathOf(item), { at, change, before, after }];
      }),
    );
    const ordered = data.items.toSorted(inOrder);
    const counts = Object.values(data.counts).flatMap((kinds) => Object.values(kinds));
    return [
      ...faultOf(
        "a diff differs from the replayed changes",
        path,
        sorted(expected),
        sorted(actual),
      ),
      ...faultOf(
        "the order of a diff",
        path,
        ordered.map(({ id }) => id),
        data.items.map(({ id }) => id),
      ),
      ...faultOf("the end of a diff", path, to, data.to),
      ...faultOf(
        "the counts of a diff",
        path,
        data.items.length,
        counts.reduce((sum, one) => sum + one, 0),
      ),
    ];
  }

  /**
   * Checks that rereading returns the same changes, and that each filter returns the matching
   * changes.
   */
  async #judgeFilters(
    world: World,
    random: Random,
    since: string,
    chosen: Change,
  ): Promise<Fault[]> {
    const { host_id } = chosen;
    const same = (name: "entity_id" | "network_id" | "entity" | "change") => ({
      filter: { [name]: chosen[name] },
      matches: (change: Change) => change[name] === chosen[name],
    });
    const { filter, matches } = random.oneOf([
      { filter: {}, matches: () => true },
      ...(["entity_id", "network_id", "entity", "change"] as const).map(same),
      ...(host_id === null
        ? []
        : [
            {
              filter: { host_id },
              matches: (change: Change) => this.#hostsOf(change).includes(host_id),
            },
          ]),
    ]);
    const query = { ...filter, since, include: "records", limit: String(100 + random.below(900)) };
    const { changes } = await pagesOf(world, "changes", query);
    const expected = this.#read.filter((change) => change.at > since && matches(change));
    return faultOf(
      "changes read again",
      `changes?${new URLSearchParams(query)}`,
      expected,
      changes,
    );
  }

  /**
   * Checks the timeline of a record, or of a host with its children. The record may have been
   * deleted.
   */
  async #judgeTimeline(world: World, random: Random, chosen: Change): Promise<Fault[]> {
    const { host_id, entity, entity_id } = chosen;
    const isOfHost = host_id !== null && random.happens(50);
    const path = `${isOfHost ? `hosts/${host_id}` : pathOf(chosen)}/timeline`;
    const { changes } = await pagesOf(world, path, {
      include: "records",
      limit: String(1 + random.below(100)),
      ...(!isOfHost && entity === "Host" && { include_children: "false" }),
    });
    const expected = this.#read.filter((change) =>
      isOfHost ? this.#hostsOf(change).includes(host_id) : change.entity_id === entity_id,
    );
    return faultOf("a timeline", path, expected.reverse(), changes);
  }
}

/** Reads all pages of changes from the start of a query, and returns them with the final cursor. */
async function pagesOf(world: World, path: string, query: Record<string, string>) {
  const changes: Change[] = [];
  const { since: _, ...further } = query;
  for (let next = query; ; ) {
    const { data, meta } = await read<{
      data: Change[];
      meta: { next_cursor: string; has_more: boolean };
    }>(world, `${path}?${new URLSearchParams(next)}`);
    changes.push(...data);
    if (!meta.has_more) {
      return { changes, cursor: meta.next_cursor };
    }
    next = { ...further, cursor: meta.next_cursor };
  }
}

/** Returns the body of a successful response. */
async function read<Body>(world: World, path: string): Promise<Body> {
  const { status, text } = await world.get(path);
  if (status !== 200) {
    throw new Error(`GET ${path}: ${status} ${text}`);
  }
  return JSON.parse(text);
}

const sorted = (map: ReadonlyMap<string, unknown>) => Object.fromEntries([...map].sort());

const faultOf = (check: string, where: string, expected: unknown, actual: unknown): Fault[] => {
  const difference = differenceOf(expected, actual);
  return difference === undefined ? [] : [{ check, where, difference }];
};

/** Compares a replayed state with the lists. */
function differing(check: string, where: string, state: State, inventory: Inventory): Fault[] {
  const listed = new Map<string, unknown>();
  for (const name of inventoryCollections) {
    for (const record of inventory[name]) {
      const path = `${name}/${record.lineage_id ?? record.id}`;
      const fields = state.get(path);
      const whole = { ...record, id: record.lineage_id ?? record.id };
      listed.set(path, fields === undefined ? whole : picked(whole, fields));
    }
  }
  return faultOf(check, where, sorted(listed), sorted(state));
}

import { inventoryCollections, shifted } from "../../helpers/inventory.ts";
import { differenceOf, type Fault } from "../fault.ts";
import type { Random } from "../random.ts";
import { type Inventory, type Snapshot, type State, snapshotOf } from "../state.ts";
import type { World } from "../world.ts";
import { judgeRules } from "./rules.ts";

type Lists = Record<keyof Inventory, Snapshot>;

const snapshotLists = (inventory: Inventory): Lists =>
  Object.fromEntries(
    inventoryCollections.map((name) => [name, snapshotOf(inventory[name])]),
  ) as Lists;

/**
 * Tags are returned as of the instant, but changing them does not start a version. Two instants in
 * the same interval can therefore have different tags.
 */
const withoutTags = (snapshot: Snapshot) =>
  new Map(
    [...snapshot].map(([id, text]) => [id, text.replaceAll(/"tags":\[[^\]]*\]/g, '"tags":[]')]),
  );

function differenceOfLists(before: Lists, after: Lists, hasTags: boolean): unknown {
  const differences = inventoryCollections.flatMap((name) => {
    const [one, other] = hasTags
      ? [before[name], after[name]]
      : [withoutTags(before[name]), withoutTags(after[name])];
    return [...new Set([...one.keys(), ...other.keys()])]
      .filter((id) => one.get(id) !== other.get(id))
      .map((id) => [
        `${name}/${id}`,
        differenceOf(JSON.parse(one.get(id) ?? "null"), JSON.parse(other.get(id) ?? "null")),
      ]);
  });
  return differences.length === 0 ? undefined : Object.fromEntries(differences);
}

/** The percentage of states that are remembered. */
const percentRemembered = 40;

/** The maximum number of remembered instants. Their lists take up memory. */
const maxRemembered = 200;

/** The lists at past instants, which must never change (API contract, section 9). */
export class Past {
  /** The lists at each instant, as they were first read. */
  readonly #listed = new Map<string, Lists>();
  /** Every instant at which a version began or ended, in order. */
  #boundaries: string[] = [];

  /** Adds the current state. There must be no concurrent writers. */
  add(state: State, boundaries: readonly string[], random: Random): void {
    this.#boundaries = [...new Set([...this.#boundaries, ...boundaries])].sort();
    if (random.happens(percentRemembered)) {
      this.#remember(state.at, snapshotLists(state.inventory), random);
    }
  }

  #remember(at: string, lists: Lists, random: Random): void {
    this.#listed.set(at, lists);
    const instants = [...this.#listed.keys()];
    const forgotten =
      instants.length > maxRemembered ? random.pick(instants.slice(0, -10)) : undefined;
    this.#listed.delete(forgotten ?? "");
  }

  /**
   * A random choice of instants to check: remembered instants, and boundaries with the milliseconds
   * before and after them.
   */
  #instants(count: number, random: Random, now: string): string[] {
    // Some of the latest boundaries, and some of all boundaries.
    const recent = this.#boundaries.slice(-4 * count);
    const boundaries = [...random.some(recent, count), ...random.some(this.#boundaries, count)];
    const around = boundaries.flatMap((at) => [shifted(at, -1), at, shifted(at, 1)]);
    const instants = random.some([...this.#listed.keys()], count);
    return [...new Set([...around, ...instants])].filter((at) => at <= now);
  }

  /** Reads the lists at some instants, and compares them with earlier readings. */
  async judge(world: World, now: string, count: number, random: Random): Promise<Fault[]> {
    const faults: Fault[] = [];
    for (const at of this.#instants(count, random, now)) {
      const inventory = await world.inventory(at);
      const lists = snapshotLists(inventory);
      const same = this.#listed.get(at);
      const near = same ?? this.#ofInterval(at);
      const difference = near && differenceOfLists(near, lists, same !== undefined);
      if (difference !== undefined) {
        const check = same ? "the past has changed" : "an interval is not constant";
        faults.push({ check, where: at, difference });
      }
      if (!same) {
        this.#remember(at, lists, random);
      }
      faults.push(
        ...judgeRules(inventory).map((fault) => ({ ...fault, where: `${at} ${fault.where}` })),
      );
    }
    return faults;
  }

  /** The lists at another instant between the same boundaries. */
  #ofInterval(at: string): Lists | undefined {
    const from = this.#boundaries.findLast((boundary) => boundary <= at) ?? "";
    const to = this.#boundaries.find((boundary) => boundary > at) ?? "9";
    const other = [...this.#listed.keys()].find((instant) => from <= instant && instant < to);
    return other === undefined ? undefined : this.#listed.get(other);
  }
}

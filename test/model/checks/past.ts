import { inventoryCollections, shifted } from "../../helpers/inventory.ts";
import { differenceOf, type Fault } from "../fault.ts";
import type { Random } from "../random.ts";
import { type Inventory, type State, type Told, toldOf } from "../shown.ts";
import type { World } from "../world.ts";
import { judgeRules } from "./rules.ts";

type Lists = Record<keyof Inventory, Told>;

const toldLists = (inventory: Inventory): Lists =>
  Object.fromEntries(inventoryCollections.map((name) => [name, toldOf(inventory[name])])) as Lists;

/** Tags are of the instant, and begin no version: two instants of one interval may differ in them. */
const withoutTags = (told: Told) =>
  new Map([...told].map(([id, text]) => [id, text.replaceAll(/"tags":\[[^\]]*\]/g, '"tags":[]')]));

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

/** How often what there is now is remembered, of 100 times. */
const percentRemembered = 40;

/** How many instants are remembered: their lists take memory. */
const remembered = 200;

/** What the lists showed at instants of the past: they show it for ever (API contract, section 9). */
export class Past {
  /** What was shown at an instant, as soon as it had passed. */
  readonly #shown = new Map<string, Lists>();
  /** Every instant at which something began or ended, in order. */
  #boundaries: string[] = [];

  /** Adds what is there when nobody writes. */
  add(state: State, boundaries: readonly string[], random: Random): void {
    this.#boundaries = [...new Set([...this.#boundaries, ...boundaries])].sort();
    if (random.happens(percentRemembered)) {
      this.#remember(state.at, toldLists(state.inventory), random);
    }
  }

  #remember(at: string, lists: Lists, random: Random): void {
    this.#shown.set(at, lists);
    const instants = [...this.#shown.keys()];
    const forgotten =
      instants.length > remembered ? random.pick(instants.slice(0, -10)) : undefined;
    this.#shown.delete(forgotten ?? "");
  }

  /** Instants worth a look: remembered ones, and boundaries with the milliseconds around them. */
  #instants(count: number, random: Random, now: string): string[] {
    // Those of the last changes, and any.
    const recent = this.#boundaries.slice(-4 * count);
    const boundaries = [...random.some(recent, count), ...random.some(this.#boundaries, count)];
    const around = boundaries.flatMap((at) => [shifted(at, -1), at, shifted(at, 1)]);
    const known = random.some([...this.#shown.keys()], count);
    return [...new Set([...around, ...known])].filter((at) => at <= now);
  }

  /** Looks at some instants again, or for the first time. */
  async judge(world: World, now: string, count: number, random: Random): Promise<Fault[]> {
    const faults: Fault[] = [];
    for (const at of this.#instants(count, random, now)) {
      const inventory = await world.inventory(at);
      const lists = toldLists(inventory);
      const same = this.#shown.get(at);
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

  /** What was shown at another instant between the same boundaries. */
  #ofInterval(at: string): Lists | undefined {
    const from = this.#boundaries.findLast((boundary) => boundary <= at) ?? "";
    const to = this.#boundaries.find((boundary) => boundary > at) ?? "9";
    const found = [...this.#shown.keys()].find((instant) => from <= instant && instant < to);
    return found === undefined ? undefined : this.#shown.get(found);
  }
}

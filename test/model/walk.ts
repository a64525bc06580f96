import { vi } from "vitest";
import { type Alone, aloneOperations } from "./alone.ts";
import { judgeReads, judgeStaleWriter, judgeTags } from "./checks/etags.ts";
import { Feed } from "./checks/feed.ts";
import { judgeList } from "./checks/lists.ts";
import { judgeOutputs } from "./checks/open.ts";
import { Past } from "./checks/past.ts";
import { judgeRules } from "./checks/rules.ts";
import { judgeStale } from "./checks/stale.ts";
import { boundariesOf, judgeVersions } from "./checks/versions.ts";
import { type Client, causedByOthers, Journal } from "./client.ts";
import type { Fault } from "./fault.ts";
import { aroundOperations } from "./operations/around.ts";
import { discoveryOperations } from "./operations/discovery.ts";
import type { Operation } from "./operations/operation.ts";
import { deleteManyHosts, recordOperations } from "./operations/records.ts";
import { type Random, randomOf } from "./random.ts";
import type { State } from "./shown.ts";
import { openWorld } from "./world.ts";

const clients = 4;

/** Beyond so many hosts, a walk deletes many of them. */
const mostHosts = 40;

/** How often one client acts alone, of 100 steps. */
const aloneSteps = 25;

/** How often the changes are read on while clients write, of 100 steps, and how often after what was written. */
const percentRead = 30;

/** After so many steps the past is looked at. */
const stepsBetweenLooks = 10;

/** At how many boundaries, and how many other instants, one looks then. */
const instantsLookedAt = 3;

const operations: readonly Operation[] = [
  ...recordOperations,
  ...aroundOperations,
  ...discoveryOperations,
];

const chosen = <Weighed extends { weight: number }>(
  random: Random,
  from: readonly Weighed[],
): Weighed => random.oneOf(from.flatMap((one) => Array.from({ length: one.weight }, () => one)));

/** Does something that there is something to do it with. */
async function act(client: Client): Promise<void> {
  const isFull = client.state.inventory.hosts.length > mostHosts;
  for (let tries = 0; tries < 20; tries++) {
    const operation = isFull ? deleteManyHosts : chosen(client.random, operations);
    if (await operation.run(client)) {
      return;
    }
  }
}

/** What a walk did: how often which request was answered how. */
export type Counts = ReadonlyMap<string, number>;

/**
 * Changes an organization at random, with four clients at once, and compares all that it shows after
 * each step with what it showed before, and with itself.
 * @param seed decides what is done: any text
 * @throws {Error} for the first step with a fault: which, what was done last, and what differs
 */
export async function walk(seed: string, steps: number): Promise<Counts> {
  const random = randomOf(seed);
  const world = await openWorld();
  const journal = new Journal();
  // A line for each request would hide what a fault says.
  vi.spyOn(console, "log").mockImplementation((line: unknown) => {
    if (/"event":"visit"|"status":5/.test(String(line))) {
      journal.note(String(line));
    }
  });
  const past = new Past();
  const feed = new Feed();
  let state = await world.observe("2001-01-01T00:00:00Z");
  past.add(state, boundariesOf(state.versions), random);

  /** Reads all again, and judges what has changed since. */
  async function look(): Promise<State> {
    const before = state;
    state = await world.observe(before.at);
    past.add(state, boundariesOf(state.versions), random);
    const quiet = journal.clientOf(0, { random, state, world, isAlone: true });
    const requested = await Promise.all([
      judgeReads(world, before, state, random),
      judgeStaleWriter(quiet, before, state),
      judgeList(world, state, random),
      judgeOutputs(world, state, random),
    ]);
    journal.faults.push(
      ...judgeTags(before, state),
      ...judgeVersions(state.versions),
      ...judgeRules(state.inventory),
      ...judgeStale(state),
      ...requested.flat(),
    );
    if (random.happens(percentRead)) {
      await judgeFeed();
    }
    return state;
  }

  /** Reads what has changed, and holds it against what there is. */
  async function judgeFeed(): Promise<void> {
    journal.faults.push(...(await feed.read(world, random)), ...feed.judge(state));
  }

  /** Whoever met another change is told to repeat the request: it then meets none. */
  async function repeatConflicts(): Promise<void> {
    for (const request of journal.conflicts.splice(0)) {
      const client = journal.clientOf(0, { random, state, world, isAlone: true });
      await client.send({ ...request, refusals: causedByOthers });
      await look();
    }
  }

  for (let step = 1; step <= steps; step++) {
    journal.note(`--- step ${step}`);
    if (random.happens(aloneSteps)) {
      const alone: Alone = chosen(random, aloneOperations);
      journal.note(alone.name);
      const client = journal.clientOf(0, { random, state, world, isAlone: true });
      journal.faults.push(...(await alone.run(client, look)));
    } else {
      const ofStep = Array.from({ length: clients }, (_, number) =>
        journal.clientOf(number + 1, {
          // Each its own, so that the order in which answers come changes no choice.
          random: randomOf(`${seed} ${step} ${number}`),
          state,
          world,
          isAlone: false,
        }),
      );
      const reading = random.happens(percentRead) ? feed.read(world, random) : [];
      const [misread] = await Promise.all([reading, ...ofStep.map(act)]);
      journal.faults.push(...misread);
      await look();
      await repeatConflicts();
    }
    if (step % stepsBetweenLooks === 0 || step === steps) {
      journal.faults.push(...(await past.judge(world, state.at, instantsLookedAt, random)));
      await judgeFeed();
      for (let looks = 0; looks < instantsLookedAt; looks++) {
        journal.faults.push(...(await feed.judgePast(world, random)));
      }
    }
    if (journal.faults.length > 0) {
      throw new Error(described(seed, step, journal));
    }
  }
  return journal.counts;
}

/** At most so many faults are told. */
const toldFaults = 5;

function described(seed: string, step: number, { faults, lines }: Journal): string {
  const told = faults.slice(0, toldFaults).map(textOf);
  const more = faults.length > toldFaults ? [`and ${faults.length - toldFaults} more`] : [];
  return [`seed ${seed}, step ${step}`, ...told, ...more, "what was done last:", ...lines].join(
    "\n",
  );
}

const textOf = ({ check, where, difference }: Fault): string =>
  `${check}: ${where}\n${JSON.stringify(difference, null, 1)}`;

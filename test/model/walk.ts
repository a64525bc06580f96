import { vi } from "vitest";
import { type Alone, aloneOperations } from "./alone.ts";
import { judgeCounts } from "./checks/counts.ts";
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
import type { State } from "./state.ts";
import { openWorld } from "./world.ts";

const clients = 4;

/** The number of hosts above which a walk deletes many of them. */
const mostHosts = 40;

/** The percentage of steps in which one client acts alone. */
const aloneSteps = 25;

/**
 * The percentage of steps in which changes are read while clients write. Also the percentage of
 * rechecks that read the changes.
 */
const percentRead = 30;

/** The number of steps between two checks of the past. */
const stepsBetweenPastChecks = 10;

/**
 * The maximum number of instants that a check of the past takes from each source, and the number of
 * feed checks that follow it.
 */
const instantsPerCheck = 3;

const operations: readonly Operation[] = [
  ...recordOperations,
  ...aroundOperations,
  ...discoveryOperations,
];

const chosen = <Weighed extends { weight: number }>(
  random: Random,
  from: readonly Weighed[],
): Weighed => random.oneOf(from.flatMap((one) => Array.from({ length: one.weight }, () => one)));

/** Performs one random operation for which suitable records exist. */
async function act(client: Client): Promise<void> {
  const isFull = client.state.inventory.hosts.length > mostHosts;
  for (let tries = 0; tries < 20; tries++) {
    const operation = isFull ? deleteManyHosts : chosen(client.random, operations);
    if (await operation.run(client)) {
      return;
    }
  }
}

/** The number of requests in a walk, by kind and outcome. */
export type Counts = ReadonlyMap<string, number>;

/**
 * Changes an organization at random with four concurrent clients. After each step, compares all
 * responses with earlier ones and with each other.
 * @param seed any string; it determines all choices
 * @throws {Error} at the first step with a fault; the message contains the step, the last actions
 * and the difference
 */
export async function walk(seed: string, steps: number): Promise<Counts> {
  const random = randomOf(seed);
  const world = await openWorld();
  const journal = new Journal();
  // A log line for every request would hide the message about a fault.
  vi.spyOn(console, "log").mockImplementation((line: unknown) => {
    if (/"event":"visit"|"status":5/.test(String(line))) {
      journal.note(String(line));
    }
  });
  const past = new Past();
  const feed = new Feed();
  let state = await world.observe("2001-01-01T00:00:00Z");
  past.add(state, boundariesOf(state.versions), random);

  /** Reads everything again and checks what has changed since. */
  async function recheck(): Promise<State> {
    const before = state;
    state = await world.observe(before.at);
    past.add(state, boundariesOf(state.versions), random);
    const quiet = journal.clientOf(0, { random, state, world, isAlone: true });
    const requested = await Promise.all([
      judgeCounts(world),
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

  /** Reads the new changes and compares them with the current state. */
  async function judgeFeed(): Promise<void> {
    journal.faults.push(...(await feed.read(world, random)), ...feed.judge(state));
  }

  /** A request that failed with `request_conflict` must succeed when it is repeated alone. */
  async function repeatConflicts(): Promise<void> {
    for (const request of journal.conflicts.splice(0)) {
      const client = journal.clientOf(0, { random, state, world, isAlone: true });
      await client.send({ ...request, refusals: causedByOthers });
      await recheck();
    }
  }

  for (let step = 1; step <= steps; step++) {
    journal.note(`--- step ${step}`);
    if (random.happens(aloneSteps)) {
      const alone: Alone = chosen(random, aloneOperations);
      journal.note(alone.name);
      const client = journal.clientOf(0, { random, state, world, isAlone: true });
      journal.faults.push(...(await alone.run(client, recheck)));
    } else {
      const ofStep = Array.from({ length: clients }, (_, number) =>
        journal.clientOf(number + 1, {
          // Separate generators, so that the order of responses does not affect the choices.
          random: randomOf(`${seed} ${step} ${number}`),
          state,
          world,
          isAlone: false,
        }),
      );
      const reading = random.happens(percentRead) ? feed.read(world, random) : [];
      const [misread] = await Promise.all([reading, ...ofStep.map(act)]);
      journal.faults.push(...misread);
      await recheck();
      await repeatConflicts();
    }
    if (step % stepsBetweenPastChecks === 0 || step === steps) {
      journal.faults.push(...(await past.judge(world, state.at, instantsPerCheck, random)));
      await judgeFeed();
      for (let checks = 0; checks < instantsPerCheck; checks++) {
        journal.faults.push(...(await feed.judgePast(world, random)));
      }
    }
    if (journal.faults.length > 0) {
      throw new Error(described(seed, step, journal));
    }
  }
  return journal.counts;
}

/** The maximum number of faults in an error message. */
const maxFaults = 5;

function described(seed: string, step: number, { faults, lines }: Journal): string {
  const descriptions = faults.slice(0, maxFaults).map(textOf);
  const more = faults.length > maxFaults ? [`and ${faults.length - maxFaults} more`] : [];
  return [`seed ${seed}, step ${step}`, ...descriptions, ...more, "last actions:", ...lines].join(
    "\n",
  );
}

const textOf = ({ check, where, difference }: Fault): string =>
  `${check}: ${where}\n${JSON.stringify(difference, null, 1)}`;

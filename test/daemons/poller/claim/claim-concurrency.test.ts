import { sql as drizzleSql } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import {
  type ClaimedDaemon,
  type claimDueDaemons,
  claimDueDaemons as claimWithLock,
} from "../../../../src/daemons/poller/claim/state.ts";
import { runAsPoller } from "../../../../src/database/poller.ts";
import { daemons } from "../../../../src/database/tables/index.ts";
import type { Settings } from "../../../../src/env.ts";
import { sql } from "../../../helpers/database.ts";
import { mintDueDaemons, mintOrganization } from "../../../helpers/organization.ts";
import { openFreshDatabase, openPoller } from "../../../helpers/poller.ts";

const dueDaemons = 2000;

/** The control in this experiment: a naive claim without the lock. */
const claimWithoutLock: typeof claimDueDaemons = (database, _turn, limit) =>
  database.execute<ClaimedDaemon>(drizzleSql`
    with due as (
      select id from ${daemons} where due_at <= now() order by due_at limit ${limit})
    update ${daemons} as daemon set
      lease_expires_at = now() + interval '5 minutes',
      poll_generation = daemon.poll_generation + 1
    from due where daemon.id = due.id
    returning daemon.id`);

/** The number of concurrent cycles. */
const cycles = 8;

/** The number of daemons per claim: small enough that each cycle makes many claims. */
const claimSize = 100;

/** Selects all organizations, and as many daemons from each as fit in one claim. */
const everything = { after: "00000000-0000-0000-0000-000000000000", share: claimSize };

/**
 * Runs eight cycles that claim concurrently, each until no daemon is due.
 * @returns the ids that each cycle claimed
 */
function raceClaims(settings: Settings, claim: typeof claimDueDaemons): Promise<string[][]> {
  const runCycle = async (): Promise<string[]> => {
    const claimed: string[] = [];
    for (;;) {
      const [{ rows }] = await runAsPoller(settings, (database) => [
        claim(database, everything, claimSize),
      ]);
      if (rows.length === 0) {
        return claimed;
      }
      claimed.push(...rows.map(({ id }) => id));
    }
  };
  return Promise.all(Array.from({ length: cycles }, runCycle));
}

// PGlite has one connection, so nothing would run concurrently and nothing could go wrong. Set
// TEST_DATABASE_URL to run these tests.
describe.skipIf(!inject("isRealPostgres"))("eight concurrent cycles", () => {
  let variables: Record<string, string>;

  beforeAll(async () => {
    variables = await openFreshDatabase();
  }, 60_000);

  beforeEach(async () => {
    await sql`delete from organizations`;
    await mintDueDaemons(await mintOrganization(), dueDaemons);
  });

  test("claim each of 2,000 due daemons exactly once", async () => {
    const claimed = await raceClaims(openPoller(variables).settings, claimWithLock);
    expect(claimed.flat()).toHaveLength(dueDaemons);
    expect(new Set(claimed.flat()).size).toBe(dueDaemons);
    const generations = await sql`select distinct poll_generation::int from daemons`;
    expect(generations).toEqual([{ poll_generation: 1 }]);
    // If this fails, the cycles did not run concurrently and the test proves nothing.
    expect(claimed.filter((ids) => ids.length > 0).length).toBeGreaterThan(1);
  });

  test("would claim daemons twice without the lock", async () => {
    const claimed = await raceClaims(openPoller(variables).settings, claimWithoutLock);
    expect(new Set(claimed.flat()).size).toBe(dueDaemons);
    expect(claimed.flat().length).toBeGreaterThan(dueDaemons);
  });

  test("send each daemon to the queue exactly once", async () => {
    const more = { ...variables, MAX_DAEMONS_PER_ORGANIZATION: "2000" };
    const pollers = Array.from({ length: 8 }, () => openPoller(more));
    const messages = await Promise.all(pollers.map(({ cycle }) => cycle()));
    const ids = messages
      .flat()
      .flatMap((message) => JSON.stringify(message).match(/"id":"[^"]+"/g));
    expect(ids).toHaveLength(dueDaemons);
    expect(new Set(ids).size).toBe(dueDaemons);
  });
});

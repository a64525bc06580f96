import {
  createExecutionContext,
  createMessageBatch,
  createScheduledController,
  getQueueResult,
} from "cloudflare:test";
import { inject } from "vitest";
import * as z from "zod";
import { pollBatch } from "../../src/daemons/poller/batch.ts";
import type { LeasedDaemon } from "../../src/daemons/poller/claim/state.ts";
import { pollTimes } from "../../src/daemons/poller/poll.ts";
import { keyRingOf, tokenPlace } from "../../src/database/sealing.ts";
import type { daemons } from "../../src/database/tables/index.ts";
import { settingsOf } from "../../src/env.ts";
import worker from "../../src/index.ts";
import { openApi, sharedDatabase, useDatabase } from "./api.ts";
import { mintDaemon, mintOrganization, type Organization } from "./organization.ts";

/** The token that a poll sends to a daemon in these tests. */
export const daemonToken = "a-token-nobody-may-see";

/**
 * The Worker with queues that only record messages, and a separate database connection, whose calls
 * can be counted and disturbed. It may contact local daemons.
 * @param variables override the configuration
 */
export function openPoller(variables: Record<string, unknown> = {}) {
  const sent: { fast: unknown[]; slow: unknown[] } = { fast: [], slow: [] };
  const queue = (lane: "fast" | "slow") => ({
    sendBatch: async (messages: Iterable<{ body: unknown }>) => {
      sent[lane].push(...Array.from(messages, ({ body }) => body));
    },
  });
  const api = openApi({
    PRIVATE_DAEMON_ADDRESSES: "allowed",
    POLL_QUEUE: queue("fast"),
    SLOW_POLL_QUEUE: queue("slow"),
    // A cycle also claims the webhooks of other tests.
    WEBHOOK_QUEUE: { sendBatch: async () => undefined },
    SLOW_WEBHOOK_QUEUE: { sendBatch: async () => undefined },
    ...variables,
  });
  const settings = settingsOf(api.env);

  /** Delivers a message as the queue does, with the given attempt number. */
  async function deliver(body: unknown, attempts = 1) {
    const message = { id: crypto.randomUUID(), timestamp: new Date(), attempts, body };
    const batch = createMessageBatch("network-inventory-polls", [message]);
    const context = createExecutionContext();
    await worker.queue(batch, api.env);
    return getQueueResult(batch, context);
  }

  /** Runs a cycle. Returns the messages that it sent, by lane. */
  async function lanes() {
    Object.assign(sent, { fast: [], slow: [] });
    await worker.scheduled(createScheduledController(), api.env);
    return { ...sent };
  }

  return {
    ...api,
    settings,
    /** The messages since the last cycle, by lane. */
    sent,
    deliver,
    lanes,
    /** Runs a cycle. Returns all messages that it sent. */
    async cycle(): Promise<unknown[]> {
      const { fast, slow } = await lanes();
      return [...fast, ...slow];
    },
    /** Delivers leased daemons, all in one message. */
    poll: (...claimed: LeasedDaemon[]) => deliver({ daemons: claimed }),
    /** Polls leased daemons with a shorter deadline than the ten seconds used in production. */
    pollImpatiently: (...claimed: LeasedDaemon[]) =>
      pollBatch(settings, { daemons: claimed }, { ...pollTimes, deadline: 300 }),
    /** Creates a daemon that is due, in a new organization unless one is given. */
    async mintDaemon(
      values: Partial<typeof daemons.$inferInsert> = {},
      organization?: Organization,
      sealed?: string,
    ): Promise<string> {
      const { id: organization_id, networks } = organization ?? (await mintOrganization());
      const { id = crypto.randomUUID(), url = inject("refusingDaemon") } = values;
      return mintDaemon(
        organization_id,
        networks[0].id,
        { ...values, id, url },
        sealed ??
          (await keyRingOf(settings).seal(daemonToken, tokenPlace(organization_id, id, url))),
      );
    },
  };
}

export type Poller = ReturnType<typeof openPoller>;

/**
 * Gives the test file a separate database, since a cycle claims the daemons of all organizations,
 * including those of other tests. From then on, every query in the file uses it; the next file uses
 * the shared database again.
 * @returns the variables of a Worker that uses it
 */
export async function openFreshDatabase(): Promise<Record<string, string>> {
  const response = await fetch(inject("databases"), { method: "POST", body: sharedDatabase });
  if (!response.ok) {
    throw new Error(await response.text());
  }
  const { endpoint } = z.object({ endpoint: z.url() }).parse(await response.json());
  useDatabase(endpoint);
  return { LOCAL_DATABASE_ENDPOINT: endpoint };
}

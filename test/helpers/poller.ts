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

/** What a poll sends for a daemon of these tests. */
export const daemonToken = "a-token-nobody-may-see";

/**
 * The Worker with queues that only remember what they are sent, and a database connection of its own
 * to count and to disturb. May contact daemons on this machine.
 * @param variables replace those of the configuration
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
    // Webhooks of other tests, which a cycle claims as well.
    WEBHOOK_QUEUE: { sendBatch: async () => undefined },
    SLOW_WEBHOOK_QUEUE: { sendBatch: async () => undefined },
    ...variables,
  });
  const settings = settingsOf(api.env);

  /** Delivers a message as the queue does, for the first time or again. */
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
    /** What was sent since the last cycle, by lane. */
    sent,
    deliver,
    lanes,
    /** Runs a cycle. Returns all messages that it sent. */
    async cycle(): Promise<unknown[]> {
      const { fast, slow } = await lanes();
      return [...fast, ...slow];
    },
    /** Delivers daemons that are leased, all in one message. */
    poll: (...claimed: LeasedDaemon[]) => deliver({ daemons: claimed }),
    /** Polls daemons that are leased with less patience than the ten seconds of production. */
    pollImpatiently: (...claimed: LeasedDaemon[]) =>
      pollBatch(settings, { daemons: claimed }, { ...pollTimes, deadline: 300 }),
    /** Makes a daemon that is due, in an organization of its own unless one is given. */
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
 * Gives the test file a database of its own: a cycle claims the daemons of all organizations, those
 * of other tests too. From here on every query of the file goes there; the file after it gets the
 * shared database back.
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

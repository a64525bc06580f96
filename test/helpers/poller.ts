import {
  createExecutionContext,
  createMessageBatch,
  createScheduledController,
  getQueueResult,
} from "cloudflare:test";
import { neonConfig } from "@neondatabase/serverless";
import { inject } from "vitest";
import { pollBatch } from "../../src/daemons/poll-batch.ts";
import type { ClaimedDaemon } from "../../src/daemons/poll-state.ts";
import { daemons } from "../../src/database/schema/index.ts";
import { keyRingOf } from "../../src/database/sealing.ts";
import { settingsOf } from "../../src/env.ts";
import worker from "../../src/index.ts";
import { openApi, probe } from "./api.ts";
import { database } from "./database.ts";
import { mintOrganization, type Organization } from "./organization.ts";

/** What a poll sends for a daemon of these tests. */
export const daemonToken = "a-token-nobody-may-see";

/**
 * The Worker with a queue that only remembers what it is sent, and a database connection of its own
 * to count and to disturb. May contact daemons on this machine.
 * @param variables replace those of the configuration
 */
export function openPoller(variables: Record<string, unknown> = {}) {
  let sent: unknown[] = [];
  const sendBatch = async (messages: Iterable<{ body: unknown }>) => {
    sent.push(...Array.from(messages, ({ body }) => body));
  };
  const api = openApi({
    PRIVATE_DAEMON_ADDRESSES: "allowed",
    POLL_QUEUE: { sendBatch },
    ...variables,
  });
  const settings = settingsOf(api.env);

  /** Delivers a message as the queue does. */
  async function deliver(body: unknown) {
    const message = { id: crypto.randomUUID(), timestamp: new Date(), attempts: 1, body };
    const batch = createMessageBatch("network-inventory-polls", [message]);
    const context = createExecutionContext();
    await worker.queue(batch, api.env);
    return getQueueResult(batch, context);
  }

  return {
    ...api,
    settings,
    deliver,
    /** Runs a cycle. Returns the messages that it sent. */
    async cycle(): Promise<unknown[]> {
      sent = [];
      await worker.scheduled(createScheduledController(), api.env);
      return sent;
    },
    /** Delivers daemons that are leased, all in one message. */
    poll: (...claimed: ClaimedDaemon[]) => deliver({ daemons: claimed }),
    /** Polls daemons that are leased with less patience than the ten seconds of production. */
    pollImpatiently: (...claimed: ClaimedDaemon[]) =>
      pollBatch(settings, { daemons: claimed }, { deadlineMs: 300 }),
    /** Makes a daemon that is due, in an organization of its own unless one is given. */
    async mintDaemon(
      values: Partial<typeof daemons.$inferInsert> = {},
      organization?: Organization,
    ): Promise<string> {
      const { id: organization_id, networks } = organization ?? (await mintOrganization());
      const id = crypto.randomUUID();
      const place = { record: "daemon", id, field: "token" } as const;
      await database.insert(daemons).values({
        name: "Test",
        url: inject("refusingDaemon"),
        sealed_token: await keyRingOf(settings).seal(daemonToken, place),
        network_id: networks[0].id,
        ...values,
        id,
        organization_id,
      });
      return id;
    },
  };
}

export type Poller = ReturnType<typeof openPoller>;

/**
 * Gives the test file a database of its own: a cycle claims the daemons of all organizations, those
 * of other tests too. From here on every query of the file goes there.
 * @returns the variables of a Worker that uses it
 */
export async function openFreshDatabase(): Promise<Record<string, string>> {
  const response = await fetch(inject("freshDatabases"), { method: "POST" });
  const endpoint = await response.text();
  if (!response.ok) {
    throw new Error(endpoint);
  }
  neonConfig.fetchEndpoint = endpoint;
  probe(endpoint);
  return { LOCAL_DATABASE_ENDPOINT: endpoint };
}

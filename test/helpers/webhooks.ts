import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { Webhook } from "standardwebhooks";
import { expect, inject } from "vitest";
import * as z from "zod";
import { webhookMessageSchema } from "../../src/changes/deliveries/cycle.ts";
import { deliverBatch, deliveryTimes } from "../../src/changes/deliveries/deliver.ts";
import { deliverySchema } from "../../src/changes/deliveries/model.ts";
import { changesMessageSchema, testMessageSchema } from "../../src/changes/deliveries/payload.ts";
import { issuedWebhookSchema } from "../../src/changes/webhooks/create.ts";
import { webhookSchema } from "../../src/changes/webhooks/model.ts";
import { settingsOf } from "../../src/env.ts";
import worker from "../../src/index.ts";
import { watchWebhooks } from "../../src/jobs.ts";
import { followChanges } from "../changes/helpers.ts";
import { openApi } from "./api.ts";
import { judgeMessage } from "./contract.ts";
import type { Behavior, SeenRequest } from "./daemon-behavior.ts";
import { sql } from "./database.ts";
import { mintEmptyNetwork } from "./inventory.ts";
import { mintOrganization, type Organization } from "./organization.ts";

const payload = z.discriminatedUnion("type", [changesMessageSchema, testMessageSchema]);

/** A receiver on a local port, which accepts all requests by default. */
export function raiseReceiver() {
  const base = `${inject("daemonFarm")}/${crypto.randomUUID()}`;
  return {
    url: `${base}/hook`,
    behave: async (behavior: Behavior): Promise<void> => {
      await fetch(base, { method: "PUT", body: JSON.stringify(behavior) });
    },
    /** Responds to the requests that it holds (see `Behavior`). */
    release: async (behavior: Behavior): Promise<void> => {
      await fetch(`${base}/release`, { method: "POST", body: JSON.stringify(behavior) });
    },
    /** The messages that it received, whose signatures are verified with its secret. */
    async messages(secret: string) {
      const requests: SeenRequest[] = await (await fetch(base)).json();
      return requests.map(({ body = "", signed = {} }) => {
        expect(() => new Webhook(secret).verify(body, signed)).not.toThrow();
        const message = payload.parse(JSON.parse(body));
        judgeMessage(message.type, JSON.parse(body));
        return { id: signed["webhook-id"] ?? "", ...message };
      });
    },
    requests: async (): Promise<SeenRequest[]> => (await fetch(base)).json(),
  };
}

export type Receiver = ReturnType<typeof raiseReceiver>;

/** The data of a successful response. */
function data<Schema extends z.ZodType>(
  schema: Schema,
  answer: { status: number; body: unknown },
): z.output<Schema> {
  expect(answer).toMatchObject({ body: { success: true } });
  return schema.parse(z.object({ data: z.unknown() }).parse(answer.body).data);
}

/**
 * The Worker with queues that only record messages, and an organization with an empty network. It
 * may send to local receivers.
 * @param variables override the configuration
 */
export async function openWebhooks(
  variables: Record<string, unknown> = {},
  existing?: Organization,
) {
  const organization = existing ?? (await mintOrganization());
  const network_id = await mintEmptyNetwork(organization.id);
  const sent: { fast: unknown[]; slow: unknown[] } = { fast: [], slow: [] };
  const queue = (lane: "fast" | "slow") => ({
    sendBatch: async (messages: Iterable<{ body: unknown }>) => {
      sent[lane].push(...Array.from(messages, ({ body }) => body));
    },
  });
  const api = openApi({
    PRIVATE_WEBHOOK_ADDRESSES: "allowed",
    WEBHOOK_QUEUE: queue("fast"),
    SLOW_WEBHOOK_QUEUE: queue("slow"),
    ...variables,
  });
  const settings = settingsOf(api.env);
  const send = (method: string, path: string, json?: unknown, key = organization.keys.admin) =>
    api.send(method, `/api/v1/${path}`, { key, json });

  /** Runs a cycle. Returns the messages that it sent, by lane. */
  async function lanes() {
    Object.assign(sent, { fast: [], slow: [] });
    await watchWebhooks(settings, 0);
    return { ...sent };
  }

  /** Delivers a message as the queue does. */
  async function deliver(body: unknown) {
    const message = { id: crypto.randomUUID(), timestamp: new Date(), attempts: 1, body };
    const batch = createMessageBatch("network-inventory-webhooks", [message]);
    const context = createExecutionContext();
    await worker.queue(batch, api.env);
    return getQueueResult(batch, context);
  }

  const webhook = async (id: string) => data(webhookSchema, await send("GET", `webhooks/${id}`));

  return {
    ...{ organization, network_id, api, settings, send, lanes, deliver, webhook },
    /** Creates a webhook for a receiver. */
    async create(values: Record<string, unknown>, key?: string) {
      const answer = await send("POST", "webhooks", { name: "hook", ...values }, key);
      expect(answer).toMatchObject({ status: 201 });
      const { secret, webhook } = data(issuedWebhookSchema, answer);
      return { secret: secret ?? "", id: webhook.id };
    },
    /** Creates a host. Returns its id. */
    async addHost(name: string, network = network_id): Promise<string> {
      const answer = await send("POST", "hosts", { network_id: network, name });
      return data(z.object({ id: z.string() }), answer).id;
    },
    /** Runs cycles and delivers their messages until a cycle sends none. */
    async settle(): Promise<void> {
      for (;;) {
        const { fast, slow } = await lanes();
        if (fast.length + slow.length === 0) {
          return;
        }
        await Promise.all([...fast, ...slow].map(deliver));
      }
    },
    /**
     * Runs a cycle and delivers its messages, with a shorter deadline than the 15 seconds used in
     * production.
     */
    async settleImpatiently(times: Partial<typeof deliveryTimes> = {}): Promise<void> {
      const { fast, slow } = await lanes();
      for (const message of [...fast, ...slow]) {
        const batch = webhookMessageSchema.parse(message);
        await deliverBatch(settings, batch, { ...deliveryTimes, deadline: 300, ...times });
      }
    },
    deliveries: async (id: string, query = "") =>
      data(z.array(deliverySchema), await send("GET", `webhooks/${id}/deliveries${query}`)),
    feed: async (query: Record<string, string> = {}) =>
      (await followChanges((path) => send("GET", path), query)).changes,
  };
}

/**
 * Moves the due times of a webhook and its deliveries, and the start of its failures, into the past
 * by an interval.
 */
export const passTime = (id: string, interval: string) =>
  sql.transaction([
    sql`update webhook_deliveries set next_attempt_at = next_attempt_at - ${interval}::interval
      where webhook_id = ${id}`,
    sql`update webhooks set retry_at = retry_at - ${interval}::interval,
        newer_at = newer_at - ${interval}::interval, failing_since = failing_since - ${interval}::interval
      where id = ${id}`,
  ]);

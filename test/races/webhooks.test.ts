import { beforeAll, expect, inject, test } from "vitest";
import { webhookMessageSchema } from "../../src/changes/deliveries/cycle.ts";
import { deliverBatch } from "../../src/changes/deliveries/deliver.ts";
import type { Change } from "../../src/changes/model.ts";
import { settingsOf } from "../../src/env.ts";
import { openApi } from "../helpers/api.ts";
import { sql } from "../helpers/database.ts";
import { openFreshDatabase } from "../helpers/poller.ts";
import { openWebhooks, passTime, type Receiver, raiseReceiver } from "../helpers/webhooks.ts";
import { below, openWriters, pause, race } from "./writers.ts";

const seconds = inject("raceSeconds");

let variables: Record<string, unknown>;

beforeAll(async () => {
  variables = { ...(await openFreshDatabase()), PRIVATE_WEBHOOK_ADDRESSES: "allowed" };
}, 60_000);

const behaviors = [
  { kind: "answer" },
  { kind: "answer", status: 503 },
  { kind: "answer", status: 302, headers: { Location: "/" } },
  { kind: "cut" },
  { kind: "raw", text: "" },
] as const;

/**
 * The faults that kill a consumer, either before its results are stored or before it learns that
 * they have been stored.
 */
const deaths = [
  [{ kind: "none" }, { kind: "refuse" }],
  [{ kind: "none" }, { kind: "lost_answer" }],
  [{ kind: "none" }, { kind: "none" }, { kind: "none" }, { kind: "refuse" }],
] as const;

/**
 * Ends all leases, so that other consumers can take over the webhooks of live and dead consumers.
 */
const endLeases = () =>
  sql`update webhooks set lease_expires_at = now() where lease_expires_at is not null`;

const positionOf = ({ at, entity, entity_id }: Change) => `${at} ${entity} ${entity_id}`;

/**
 * The changes that a receiver got, in the order in which they first arrived. Repetitions of a
 * message must be identical.
 */
async function receivedBy(receiver: Receiver, secret: string): Promise<Change[]> {
  const contents = new Map<string, string>();
  const received = new Map<string, Change>();
  for (const { id, data } of await receiver.messages(secret)) {
    const content = JSON.stringify(data.changes);
    expect(contents.get(id) ?? content).toBe(content);
    contents.set(id, content);
    for (const change of data.changes) {
      expect(received.get(change.id) ?? change).toEqual(change);
      received.set(change.id, received.get(change.id) ?? change);
    }
  }
  return [...received.values()];
}

const inOrder = (changes: readonly Change[]) =>
  changes.toSorted((one, other) => (positionOf(one) < positionOf(other) ? -1 : 1));

test("receivers get the whole feed while sixteen writers write, and consumers die, receivers fail and webhooks change", {
  timeout: 60_000 + seconds * 3000,
}, async () => {
  const writers = await openWriters(variables);
  const hooks = await openWebhooks(variables, writers.organization);
  const [steady, flapping, changing] = [raiseReceiver(), raiseReceiver(), raiseReceiver()];
  const { body } = await hooks.send("GET", "changes?cursor=now");
  const cursor: string = Object(body).meta.next_cursor;
  const made = {
    steady: await hooks.create({ url: steady.url }),
    flapping: await hooks.create({ url: flapping.url, entities: ["Host", "Port"] }),
    changing: await hooks.create({ url: changing.url }),
  };
  const dying = openApi(variables);
  let delivered = 0;
  let died = 0;
  const consumers: Promise<void>[] = [];
  const consume = async (message: unknown) => {
    const batch = webhookMessageSchema.parse(message);
    delivered += 1;
    // Every third consumer dies, starting with the first.
    if (delivered % 3 !== 1) {
      return deliverBatch(hooks.settings, batch);
    }
    await dying.disturb({ faults: [...(deaths[Math.floor(delivered / 3) % deaths.length] ?? [])] });
    await deliverBatch(settingsOf(dying.env), batch).catch(() => {
      died += 1;
    });
  };
  const whileWriting = (isWriting: () => boolean, act: () => Promise<unknown>) => async () => {
    while (isWriting()) {
      await act();
      await pause(100);
    }
  };
  let changes = 0;

  await race(writers.acts, 1, async (isWriting) => {
    const acts = [
      async () => {
        const { fast, slow } = await hooks.lanes();
        consumers.push(...[...fast, ...slow].map(consume));
        if (below(5) === 0) {
          await endLeases();
        }
      },
      () => flapping.behave(behaviors[below(behaviors.length)] ?? behaviors[0]),
      async () => {
        const { id } = made.changing;
        const whole = { ...(await hooks.webhook(id)), name: `changed ${changes}` };
        const answer = await hooks.send("PUT", `webhooks/${id}`, {
          ...whole,
          is_enabled: changes % 2 === 1,
        });
        expect(answer).toMatchObject({ status: 200 });
        if (changes === 2) {
          const rotated = await hooks.send("POST", `webhooks/${id}/rotate`, {
            overlap_seconds: 604_800,
          });
          expect(rotated).toMatchObject({ status: 200 });
        }
        changes += 1;
      },
    ];
    await Promise.all(acts.map((act) => whileWriting(isWriting, act)()));
  });
  await Promise.all(consumers);
  expect(died).toBeGreaterThan(0);
  expect(changes).toBeGreaterThan(2);

  await flapping.behave({ kind: "answer" });
  await hooks.send("PATCH", `webhooks/${made.changing.id}`, { is_enabled: true });
  const ids = Object.values(made).map(({ id }) => id);
  for (let hours = 0; hours < 12; hours++) {
    await endLeases();
    await Promise.all(ids.map((id) => passTime(id, "1 hour")));
    await hooks.settle();
  }
  for (const id of ids) {
    expect(await hooks.deliveries(id, "?state=retrying")).toEqual([]);
    expect(await hooks.deliveries(id, "?state=failed")).toEqual([]);
  }
  const feed = await hooks.feed({ cursor, limit: "1000" });
  expect(feed.length).toBeGreaterThan(100);
  // A receiver that never fails gets everything in feed order.
  expect(await receivedBy(steady, made.steady.secret)).toEqual(feed);
  expect(inOrder(await receivedBy(changing, made.changing.secret))).toEqual(feed);
  expect(inOrder(await receivedBy(flapping, made.flapping.secret))).toEqual(
    feed.filter(({ entity }) => entity === "Host" || entity === "Port"),
  );
});

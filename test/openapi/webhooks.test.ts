import { beforeAll, beforeEach, expect, test } from "vitest";
import document from "../../src/docs/assets/openapi.json" with { type: "json" };
import { judgeMessage } from "../helpers/contract.ts";
import { sql } from "../helpers/database.ts";
import { openFreshDatabase } from "../helpers/poller.ts";
import { openWebhooks, raiseReceiver } from "../helpers/webhooks.ts";

let variables: Record<string, string>;

beforeAll(async () => {
  variables = await openFreshDatabase();
}, 60_000);

// A cycle claims the webhooks of all organizations.
beforeEach(async () => {
  await sql`delete from organizations`;
});

test("the messages that a receiver gets, with changes and as a test, are those that the document describes", async () => {
  const hooks = await openWebhooks(variables);
  const receiver = raiseReceiver();
  const { id } = await hooks.create({ url: receiver.url });
  const host = await hooks.addHost("host");
  await hooks.send("PATCH", `hosts/${host}`, { name: "renamed", tags: hooks.organization.tags });
  await hooks.send("DELETE", `hosts/${host}`);
  await hooks.settle();
  expect(await hooks.send("POST", `webhooks/${id}/test`)).toMatchObject({ status: 200 });
  const bodies = (await receiver.requests()).map(({ body = "" }) => JSON.parse(body));
  const types = new Set<string>(bodies.map(({ type }) => type));
  expect([...types].sort()).toEqual(Object.keys(document.webhooks).sort());
  expect(bodies[0].data.changes.length).toBeGreaterThan(1);
  for (const body of bodies) {
    expect(() => judgeMessage(body.type, body)).not.toThrow();
  }
});

test("the document rejects a message without a cursor, with an unknown field, or of an unknown type", () => {
  const { example } =
    document.webhooks["inventory.changes"].post.requestBody.content["application/json"];
  const judged =
    (change: object, type = "inventory.changes") =>
    () =>
      judgeMessage(type, { ...example, ...change });
  expect(judged({})).not.toThrow();
  expect(judged({ data: { changes: [] } })).toThrow("next_cursor");
  expect(judged({ extra: 1 })).toThrow("extra");
  expect(judged({}, "inventory.other")).toThrow("is not described");
});

test("each example is of the message that it describes", () => {
  for (const [type, { post }] of Object.entries(document.webhooks)) {
    const { example } = post.requestBody.content["application/json"];
    expect(example.type).toBe(type);
    expect(() => judgeMessage(type, example)).not.toThrow();
  }
});

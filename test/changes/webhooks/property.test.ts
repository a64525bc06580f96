import { beforeAll, expect, test } from "vitest";
import { openFreshDatabase } from "../../helpers/poller.ts";
import { openWebhooks, passTime, raiseReceiver } from "../../helpers/webhooks.ts";

let variables: Record<string, string>;

beforeAll(async () => {
  variables = await openFreshDatabase();
}, 60_000);

/** Returns a generator of numbers below `bound` that depend only on the seed. */
function numbersFrom(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % bound;
  };
}

const behaviors = [
  { kind: "answer" },
  { kind: "answer", status: 204 },
  { kind: "answer", status: 500 },
  { kind: "answer", status: 302, headers: { Location: "/" } },
  { kind: "cut" },
  { kind: "raw", text: "" },
] as const;

test.each([1, 2, 3])(
  "a receiver with random failures eventually receives all changes in the feed (seed %i)",
  async (seed) => {
    const hooks = await openWebhooks(variables);
    const receiver = raiseReceiver();
    const { id, secret } = await hooks.create({ url: receiver.url });
    const { body } = await hooks.send("GET", "changes?cursor=now");
    const { next_cursor } = (body as unknown as { meta: { next_cursor: string } }).meta;
    const below = numbersFrom(seed);
    const hosts: string[] = [];
    for (let step = 0; step < 40; step++) {
      const host = hosts[below(hosts.length + 1)];
      switch (below(6)) {
        case 0:
        case 1:
          hosts.push(await hooks.addHost(`host ${step}`));
          break;
        case 2:
          if (host) {
            await hooks.send("PATCH", `hosts/${host}`, { name: `renamed ${step}` });
          }
          break;
        case 3:
          await receiver.behave(behaviors[below(behaviors.length)] ?? behaviors[0]);
          break;
        case 4:
          await passTime(id, ["1 second", "1 minute", "1 hour"][below(3)] ?? "1 second");
          break;
        default:
          await hooks.settleImpatiently();
      }
    }
    await receiver.behave({ kind: "answer" });
    for (let hours = 0; hours < 12; hours++) {
      await passTime(id, "1 hour");
      await hooks.settleImpatiently();
    }
    expect(await hooks.deliveries(id, "?state=retrying")).toEqual([]);
    const received = (await receiver.messages(secret)).flatMap(({ data }) => data.changes);
    const byId = new Map(received.map((change) => [change.id, change]));
    const inOrder = [...byId.values()].sort(
      (one, other) =>
        Date.parse(one.at) - Date.parse(other.at) || (one.entity < other.entity ? -1 : 1),
    );
    expect(inOrder).toEqual(await hooks.feed({ cursor: next_cursor }));
  },
);

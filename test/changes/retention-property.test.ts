import { expect, test } from "vitest";
import * as z from "zod";
import { inventoryCollections } from "../helpers/inventory.ts";
import { limitCases } from "../helpers/limit-cases.ts";
import { endedUntil, keepFor, limitOf, moveIntoPast, sweepOnce } from "../helpers/retention.ts";
import { followChanges } from "./helpers.ts";
import { openLived } from "./lived.ts";

const days = 30;
const limit = limitOf(days);

/** The number of rows that one step of the sweep deletes in this test. */
const step = 3;

const diffBody = z.object({
  data: z.object({
    items: z.array(z.looseObject({ change: z.string() })),
    counts: z.record(z.string(), z.record(z.string(), z.number())),
  }),
});

/**
 * Replaces `returned` with `created`: a returned record counts as created if its earlier history is
 * deleted.
 */
const asCreated = <Kept extends { change: string }>(change: Kept) => ({
  ...change,
  change: change.change.replace("returned", "created"),
});

test.each(limitCases(["1", "2", "3", "4"], 1))(
  "kept history reads the same after the rest is deleted, with seed %s",
  { timeout: 120_000 },
  async (seed) => {
    const inventory = await openLived(seed);
    const { random, list, network_id, organization, get } = inventory;
    const { changes } = await followChanges(get, { network_id });
    const half = Math.floor(changes.length / 2);
    const cut = changes[half + random.below(half)];
    const moved = await moveIntoPast(organization.id, cut?.at ?? "", days);
    const instants = [...new Set(changes.map(({ at }) => moved(at)))].filter((at) => at >= limit);
    const chosen = [limit, ...random.some(instants, 4), instants.at(-1) ?? ""].sort();
    const records = [...new Set(changes.map(({ entity_id }) => entity_id))];

    /** All responses that cover the history since the limit, by request. */
    const readAll = async () => {
      const answers: Record<string, unknown> = {};
      for (const at of chosen) {
        for (const name of inventoryCollections) {
          answers[`${name} at ${at}`] = await list(name, { at, limit: "1000" });
        }
        answers[`summary at ${at}`] = (await get(`summary?at=${at}&network_id=${network_id}`)).body;
      }
      const feed = await followChanges(get, { since: limit, include: "records" });
      answers["changes"] = feed.changes.map(asCreated);
      for (const [index, from] of chosen.entries()) {
        const to = chosen.at(index + 1) ?? from;
        const answer = await get(`diff?from=${from}&to=${to}&include=records&limit=0`);
        expect(answer.status).toBe(200);
        const { data } = diffBody.parse(answer.body);
        const counts = Object.entries(data.counts).map(
          ([entity, { added = 0, returned = 0, removed, changed }]) => [
            ...[entity, added + returned, removed, changed],
          ],
        );
        const items = data.items.map((item) => ({
          ...item,
          change: item.change.replace("returned", "added"),
        }));
        answers[`diff from ${from}`] = { counts, items };
      }
      for (const id of records) {
        const { entity = "" } = changes.find(({ entity_id }) => entity_id === id) ?? {};
        const collection = `${entity.toLowerCase().replace("ipaddress", "ip-addresse")}s`;
        const timeline = await get(`${collection}/${id}/timeline?limit=1000&include=records`);
        const found = z
          .object({ data: z.array(z.looseObject({ at: z.string(), change: z.string() })) })
          .safeParse(timeline.body).data?.data;
        answers[`timeline of ${id}`] = (found ?? []).filter(({ at }) => at > limit).map(asCreated);
      }
      return answers;
    };

    const before = await readAll();
    const doomed = await endedUntil(organization.id, limit);
    expect(doomed).toBeGreaterThan(step);
    await keepFor(organization.id, days);
    await sweepOnce(step);
    // Most of the expired history still exists, but no response contains it.
    expect(await endedUntil(organization.id, limit)).toBeGreaterThan(0);
    expect(await readAll()).toEqual(before);
    while ((await sweepOnce(step)) > 0) {}
    expect(await endedUntil(organization.id, limit)).toBe(0);
    expect(await readAll()).toEqual(before);
    expect((await followChanges(get, {})).changes.map(asCreated)).toEqual(
      (await followChanges(get, { since: limit })).changes.map(asCreated),
    );
  },
);

import { expect } from "vitest";
import * as z from "zod";
import { changeSchema } from "../../src/changes/model.ts";
import type { Answer } from "../helpers/api.ts";
import { openInventory } from "../helpers/inventory.ts";

export const changePage = z.object({
  data: z.array(changeSchema),
  meta: z.object({ next_cursor: z.string(), has_more: z.boolean() }),
});
export type ChangePage = z.output<typeof changePage>;

/** Sends a GET request. The path includes the query, and is relative to /api/v1. */
type Get = (path: string) => Promise<Answer>;

/** Reads one page of changes. */
export async function pageOfChanges(get: Get, query: Record<string, string> = {}) {
  const answer = await get(`changes?${new URLSearchParams(query)}`);
  expect(answer).toMatchObject({ status: 200 });
  return changePage.parse(answer.body);
}

/** Reads all changes that match a query, and returns them with the last cursor. */
export async function followChanges(get: Get, { cursor, ...query }: Record<string, string> = {}) {
  const changes: ChangePage["data"] = [];
  let next = cursor;
  for (;;) {
    const { since: _, ...further } = query;
    const { data, meta } = await pageOfChanges(
      get,
      next === undefined ? query : { ...further, cursor: next },
    );
    changes.push(...data);
    next = meta.next_cursor;
    if (!meta.has_more) {
      return { changes, cursor: next };
    }
  }
}

/** Creates an inventory with one host, and returns functions that read its changes. */
export async function openChanges() {
  const inventory = await openInventory();
  const host = await inventory.create("hosts", { name: "host" });
  const get = (path: string) => inventory.send("GET", path);
  return {
    ...inventory,
    host,
    get,
    page: (query?: Record<string, string>) => pageOfChanges(get, query),
    follow: async (query?: Record<string, string>) => (await followChanges(get, query)).changes,
  };
}

import * as z from "zod";
import type { Settings } from "../../env.ts";
import { openedCursor, refusedCursor, sealedCursor } from "./cursor.ts";

/** What a walk over a list has been when it began, and where it goes on (API contract, section 13). */
export interface Walk {
  organization_id: string;
  /** The key that began it: another one may reach other records. */
  key_id: string;
  /** When it began. */
  begun_at: string;
  /** The instant that it shows, of records with history. */
  at: string | null;
  /**
   * Where changes were under way when it began: from which instant on, and how many later ones up to `at` were seen. If
   * there are more in the end, the first page lacks something of them.
   */
  unsettled: { since: string; seen: number } | null;
  total_count: number;
  /** How many records came before. */
  offset: number;
  /** The last of them in the order of creation; null in another order, where the offset counts. */
  after: { created_at: string; id: string } | null;
}

const id = z.guid();
const count = z.int().min(0);
/** An instant, in milliseconds since 1970. */
const instant = z.int().transform((milliseconds) => new Date(milliseconds).toISOString());

/** A walk as it is sealed: without names, as cursors are short. Another form would get another number. */
const sealedForm = z.tuple([
  z.literal(3),
  id,
  id,
  instant,
  instant.nullable(),
  z.tuple([instant, count]).nullable(),
  count,
  count,
  z.tuple([instant, id]).nullable(),
]);

/** The cursor of a walk of a request ({@link requestOf}). */
export function walkCursor(settings: Settings, walk: Walk, request: string): Promise<string> {
  const { unsettled, after } = walk;
  const form: z.input<typeof sealedForm> = [
    3,
    walk.organization_id,
    walk.key_id,
    Date.parse(walk.begun_at),
    walk.at === null ? null : Date.parse(walk.at),
    unsettled && [Date.parse(unsettled.since), unsettled.seen],
    walk.total_count,
    walk.offset,
    after && [Date.parse(after.created_at), after.id],
  ];
  return sealedCursor(settings, JSON.stringify(form), request);
}

/**
 * The walk of the cursor that a request sent. That it is the caller's own only the database can tell: see
 * {@link requireOwn}.
 * @throws {ApiError} 400 if it is none of ours, or of another request
 */
export async function sentWalk(settings: Settings, cursor: string, request: string): Promise<Walk> {
  const opened = await openedCursor(settings, cursor, request);
  const { data } = sealedForm.safeParse(opened.startsWith("[3,") ? JSON.parse(opened) : null);
  if (data === undefined) {
    throw refusedCursor(
      "is no cursor of this request: send `meta.pagination.next_cursor` as it was, with the parameters that it was made with, of which only `limit` may change, or leave it out",
    );
  }
  const [, organization_id, key_id, begun_at, at, unsettled, total_count, offset, after] = data;
  return {
    organization_id,
    key_id,
    begun_at,
    at,
    unsettled: unsettled && { since: unsettled[0], seen: unsettled[1] },
    total_count,
    offset,
    after: after && { created_at: after[0], id: after[1] },
  };
}

/**
 * Refuses the walk of another caller. What was read for it is the caller's own all the same.
 * @throws {ApiError} 400
 */
export function requireOwn(
  { organization_id, key_id }: Walk,
  caller: { organization_id: string; key_id: string } | null,
): void {
  if (caller?.organization_id !== organization_id || caller.key_id !== key_id) {
    throw refusedCursor("was made with another API key: begin anew without it");
  }
}

/** The parameters that say which page of a list is meant. */
const ofPage = ["limit", "offset", "cursor"];

/** What a walk is bound to: the operation, the filters, the order and the instant. */
export function requestOf(path: string, query: Readonly<Record<string, unknown>>): string {
  const sent = Object.entries(query)
    .filter(([name, value]) => value !== undefined && !ofPage.includes(name))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([path, sent]);
}

/** What tells where a record lies in the order of creation, as it was read. */
interface Placed {
  id?: unknown;
  created_at?: unknown;
  lineage_id?: unknown;
}

/** Where a record of a list lies in the order of creation. */
export function placeOf({ id: own, created_at, lineage_id }: Placed): {
  created_at: string;
  id: string;
} {
  const id = lineage_id ?? own;
  if (typeof id !== "string" || typeof created_at !== "string") {
    throw new Error("A record of a list has no place: it lacks an id or the time of its creation.");
  }
  return { created_at, id };
}

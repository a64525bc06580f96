import * as z from "zod";
import { keyRingOf } from "../../database/sealing.ts";
import type { Settings } from "../../env.ts";
import { IssueList, validationFailed } from "../validation/issues.ts";

/** The longest cursor, in characters. */
export const maximumCursor = 512;

/** A cursor as callers send it. */
export const cursorText = z.string().min(1).max(maximumCursor);

/** A position in a list that grows: behind this record of one organization. */
export interface Position {
  organization_id: string;
  /** The instant of the record, in RFC 3339. */
  at: string;
  entity: string;
  entity_id: string;
}

/** Behind all records of an instant: it sorts behind the names of all kinds. */
export const behindAll = "~";
export const noId = "00000000-0000-0000-0000-000000000000";

/** The text that is sealed, version 1. A change of it takes another number. */
const form =
  /^1 ([\da-f-]{36}) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([A-Za-z]{1,32}|~) ([\da-f-]{36})$/;

/**
 * The context that a cursor is sealed for. Its bearer learns nothing from it, and can only send it back, with the
 * request that it is bound to.
 */
const contextOf = (request: string) =>
  ({ record: "cursor", organization_id: "", id: "", field: request }) as const;

/**
 * The list that a position belongs to, whatever its filters. The feed's seals cursors that readers keep for long, and
 * webhooks send them, so it never changes.
 */
export const feed = "position";

/**
 * A position as callers know it: sealed, as it tells when something was changed, also in networks that a key
 * does not reach. The keys are those of secrets, so a cursor works as long as they are kept.
 * @param list which list it is of: {@link feed}, or the path of another one
 */
export const cursorOf = (settings: Settings, list: string, position: Position): Promise<string> =>
  sealedCursor(settings, textOf(position), list);

/**
 * {@link cursorOf} of a message to a webhook: the same whenever the message is sent again. Only who is sent one message
 * several times can compare: a caller who polls must not see whether the position has moved.
 */
export const cursorOfMessage = (
  settings: Settings,
  position: Position,
  message: string,
): Promise<string> => keyRingOf(settings).sealAlike(textOf(position), contextOf(feed), message);

const textOf = ({ organization_id, at, entity, entity_id }: Position) =>
  `1 ${organization_id} ${at} ${entity} ${entity_id}`;

/** A text as a cursor of a request. */
export const sealedCursor = (settings: Settings, text: string, request: string): Promise<string> =>
  keyRingOf(settings).seal(text, contextOf(request));

/** The text of a cursor; empty if the service did not issue it, or for another request. */
export const openedCursor = (
  settings: Settings,
  cursor: string,
  request: string,
): Promise<string> =>
  keyRingOf(settings)
    .open(cursor, contextOf(request))
    .catch(() => "");

/**
 * 400 for a cursor that the request cannot use.
 * @param path where it stands in the request
 */
export const refusedCursor = (message: string, path = "query.cursor") =>
  validationFailed(IssueList.of({ path, message, code: "custom" }));

/**
 * The position of the cursor that a request sent.
 * @param list which list it must be of, as in {@link cursorOf}
 * @param path where it stands in the request
 * @throws {ApiError} 400 if it is none of the list. That it is of another organization only the database can tell
 */
export async function sentPosition(
  settings: Settings,
  list: string,
  cursor: string,
  path = "query.cursor",
): Promise<Position> {
  const [, organization_id, at, entity, entity_id] =
    form.exec(await openedCursor(settings, cursor, list)) ?? [];
  if (organization_id && at && entity && entity_id) {
    return { organization_id, at, entity, entity_id };
  }
  throw notACursor(path);
}

/**
 * 400: what was sent as a cursor is none of the list.
 * @param path where it stands in the request
 */
export const notACursor = (path?: string) =>
  refusedCursor(
    "is no cursor of this list: send `meta.next_cursor` as it was, or leave it out",
    path,
  );

/** The state of a cursor: the list as it was at the start, and the position (API contract, section 13). */
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

/** The sealed form of a walk, version 3: a tuple, to keep cursors short. A change of it takes another number. */
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
 * The walk of the cursor in a request. {@link requireOwn} checks later that it is the caller's own: that takes the
 * database.
 * @throws {ApiError} 400 if the service did not issue it, or for another request
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
 * Refuses the walk of another caller. The rows that were read for it are the caller's own all the same.
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

/** The parameters that choose a page of a list. */
const ofPage = ["limit", "offset", "cursor"];

/** The request that a walk is bound to: operation, filters, order and instant. */
export function requestOf(path: string, query: Readonly<Record<string, unknown>>): string {
  const sent = Object.entries(query)
    .filter(([name, value]) => value !== undefined && !ofPage.includes(name))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([path, sent]);
}

/** The columns of a row that give its position in the order of creation. */
interface Placed {
  id?: unknown;
  created_at?: unknown;
  lineage_id?: unknown;
}

/** The position of a record in the order of creation. */
export function placeOf({ id: own, created_at, lineage_id }: Placed): {
  created_at: string;
  id: string;
} {
  const id = lineage_id ?? own;
  if (typeof id !== "string" || typeof created_at !== "string") {
    throw new Error("A record of a list has no position: it lacks an id or its time of creation.");
  }
  return { created_at, id };
}

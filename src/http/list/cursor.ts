import * as z from "zod";
import { keyRingOf } from "../../database/sealing.ts";
import type { Settings } from "../../env.ts";
import { IssueList, validationFailed } from "../validation/issues.ts";

/** Maximum length of a cursor, in characters. */
export const maximumCursor = 512;

/** The schema of a cursor in a request. */
export const cursorText = z.string().min(1).max(maximumCursor);

/** A position in an organization's append-only list: directly after this record. */
export interface Position {
  organization_id: string;
  /** The record's instant, in RFC 3339 format. */
  at: string;
  entity: string;
  entity_id: string;
  /** The instant at which the list ends, if it is limited, in RFC 3339 format. */
  until?: string | undefined;
}

/** The `entity` of a position after all records at an instant. It sorts after all entity names. */
export const behindAll = "~";
export const noId = "00000000-0000-0000-0000-000000000000";

/**
 * The format of the sealed text: version 2 if the list is limited, otherwise version 1. Increment
 * the version with any change to this format.
 */
const form =
  /^[12] ([\da-f-]{36}) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([A-Za-z]{1,32}|~) ([\da-f-]{36})(?: (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z))?$/;

/**
 * The context in which a cursor is sealed. A cursor does not reveal anything to its bearer, and is
 * accepted only in the request that it is bound to.
 */
const contextOf = (request: string) =>
  ({ record: "cursor", organization_id: "", id: "", field: request }) as const;

/**
 * The list name for positions in the feed, regardless of filters. Never change it: readers keep
 * feed cursors for a long time, and webhooks send them.
 */
export const feed = "position";

/**
 * Seals a position as a cursor. It is sealed because it reveals the time of a change, possibly in a
 * network that the API key cannot read. Cursors are sealed with the same keys as secrets, so a
 * cursor is valid for as long as these keys are kept.
 * @param list the list that the position belongs to: {@link feed}, or the path of another list
 */
export const cursorOf = (settings: Settings, list: string, position: Position): Promise<string> =>
  sealedCursor(settings, textOf(position), list);

/**
 * {@link cursorOf} for a message to a webhook: every retry of the message has the same cursor.
 * Other cursors for the same position differ from each other, so that a caller that polls cannot
 * tell whether the position has moved.
 */
export const cursorOfMessage = (
  settings: Settings,
  position: Position,
  message: string,
): Promise<string> => keyRingOf(settings).sealAlike(textOf(position), contextOf(feed), message);

const textOf = ({ organization_id, at, entity, entity_id, until }: Position) => {
  const position = `${organization_id} ${at} ${entity} ${entity_id}`;
  return until === undefined ? `1 ${position}` : `2 ${position} ${until}`;
};

/** Seals text as a cursor that is bound to a request. */
export const sealedCursor = (settings: Settings, text: string, request: string): Promise<string> =>
  keyRingOf(settings).seal(text, contextOf(request));

/**
 * Returns the text in a cursor, or an empty string if the service did not issue the cursor for this
 * request.
 */
export const openedCursor = (
  settings: Settings,
  cursor: string,
  request: string,
): Promise<string> =>
  keyRingOf(settings)
    .open(cursor, contextOf(request))
    .catch(() => "");

/**
 * The 400 error for a cursor that the request cannot use.
 * @param path the path of the cursor in the request
 */
export const refusedCursor = (message: string, path = "query.cursor") =>
  validationFailed(IssueList.of({ path, message, code: "custom" }));

/**
 * Opens a request's cursor. The cursor's organization is not checked here, because that needs the
 * database.
 * @param list the list that the cursor belongs to, as in {@link cursorOf}
 * @param path the path of the cursor in the request
 * @throws {ApiError} 400 if it is not a cursor for the list
 */
export async function sentPosition(
  settings: Settings,
  list: string,
  cursor: string,
  path = "query.cursor",
): Promise<Position> {
  const [, organization_id, at, entity, entity_id, until] =
    form.exec(await openedCursor(settings, cursor, list)) ?? [];
  if (organization_id && at && entity && entity_id) {
    return { organization_id, at, entity, entity_id, until };
  }
  throw notACursor(path);
}

/**
 * The 400 error for a value that is not a cursor for the list.
 * @param path the path of the cursor in the request
 */
const notACursor = (path?: string) =>
  refusedCursor(
    "is not a cursor of this list: send `meta.next_cursor` unchanged, or omit it",
    path,
  );

/**
 * The state of a cursor: the snapshot, and a position in the snapshot (API contract, section 13).
 */
export interface Walk {
  organization_id: string;
  /**
   * The API key of the first request. Other keys might have access to other records, so they are
   * rejected.
   */
  key_id: string;
  /** The time of the first request. */
  begun_at: string;
  /** The instant of the snapshot, for records with history. */
  at: string | null;
  /**
   * Set if earlier changes were still uncommitted when the first page was read: the instant after
   * which changes can be missing, and the number of changes between that instant and `at` that the
   * page saw. If more changes than that are eventually committed, the first page is incomplete.
   */
  unsettled: { since: string; seen: number } | null;
  total_count: number;
  /** The number of records before the position. */
  offset: number;
  /**
   * The last record before the position, in creation order; null in other orders, which use the
   * offset.
   */
  after: { created_at: string; id: string } | null;
}

const id = z.guid();
const count = z.int().min(0);
/** An instant, in milliseconds since the epoch. */
const instant = z.int().transform((milliseconds) => new Date(milliseconds).toISOString());

/**
 * The format in which a walk is sealed, version 3. It is a tuple, to keep cursors short. Increment
 * the version with any change to this format.
 */
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

/** Seals a walk as a cursor that is bound to a request ({@link requestOf}). */
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
 * Opens a request's cursor. The caller is checked later, by {@link requireOwn}, because that needs
 * the database.
 * @throws {ApiError} 400 if the service did not issue the cursor for this request
 */
export async function walkOf(settings: Settings, cursor: string, request: string): Promise<Walk> {
  const opened = await openedCursor(settings, cursor, request);
  const { data } = sealedForm.safeParse(opened.startsWith("[3,") ? JSON.parse(opened) : null);
  if (data === undefined) {
    throw refusedCursor(
      "is not a cursor of this request: send `meta.pagination.next_cursor` unchanged, with the parameters of the request that returned it (only `limit` may differ), or omit it",
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
 * Rejects a walk that another API key started. It may run after the page is read, since the caller
 * is allowed to read the rows on it.
 * @throws {ApiError} 400
 */
export function requireOwn(
  { organization_id, key_id }: Walk,
  caller: { organization_id: string; key_id: string } | null,
): void {
  if (caller?.organization_id !== organization_id || caller.key_id !== key_id) {
    throw refusedCursor("was made with another API key: start again without it");
  }
}

/** The query parameters that select the page. */
const pageParameters = ["limit", "offset", "cursor"];

/**
 * Returns the text of the request that a walk is bound to: its path, filters, order and instant,
 * and the subject of a token, since subjects of one key may have access to different records.
 */
export function requestOf(
  path: string,
  query: Readonly<Record<string, unknown>>,
  subject: string | null,
): string {
  const parameters = Object.entries(query)
    .filter(([name, value]) => value !== undefined && !pageParameters.includes(name))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify([path, parameters, ...(subject === null ? [] : [subject])]);
}

/** The columns of a row that give its position in creation order. */
interface CreationColumns {
  id?: unknown;
  created_at?: unknown;
  lineage_id?: unknown;
}

/** Returns the position of a record in creation order. */
export function creationKeyOf({ id: own, created_at, lineage_id }: CreationColumns): {
  created_at: string;
  id: string;
} {
  const id = lineage_id ?? own;
  if (typeof id !== "string" || typeof created_at !== "string") {
    throw new Error("A record of a list has no position: it lacks an id or its time of creation.");
  }
  return { created_at, id };
}

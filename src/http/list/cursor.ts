import * as z from "zod";
import { keyRingOf } from "../../database/sealing.ts";
import type { Settings } from "../../env.ts";
import { IssueList, validationFailed } from "../validation/issues.ts";

/** The longest cursor, in characters. */
export const maximumCursor = 512;

/** A cursor as callers send it. */
export const cursorText = z.string().min(1).max(maximumCursor);

/** Where a list that grows goes on: behind this record. It means something in one organization. */
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

/** The form of what is sealed. Another one would get another number. */
const form =
  /^1 ([\da-f-]{36}) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([A-Za-z]{1,32}|~) ([\da-f-]{36})$/;

/**
 * What a cursor is bound to. Who has one learns nothing from it, and can only send it back: with the same request
 * where it is bound to one.
 */
const placeOf = (request: string) =>
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
): Promise<string> => keyRingOf(settings).sealAlike(textOf(position), placeOf(feed), message);

const textOf = ({ organization_id, at, entity, entity_id }: Position) =>
  `1 ${organization_id} ${at} ${entity} ${entity_id}`;

/** A text as a cursor of a request. */
export const sealedCursor = (settings: Settings, text: string, request: string): Promise<string> =>
  keyRingOf(settings).seal(text, placeOf(request));

/** The text of a cursor; empty where it is none of ours, or of another request. */
export const openedCursor = (
  settings: Settings,
  cursor: string,
  request: string,
): Promise<string> =>
  keyRingOf(settings)
    .open(cursor, placeOf(request))
    .catch(() => "");

/**
 * The error of a cursor that a request cannot go on at.
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

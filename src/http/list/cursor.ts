import { keyRingOf } from "../../database/sealing.ts";
import type { Settings } from "../../env.ts";

/** The longest cursor, in characters. */
export const maximumCursor = 512;

/** Where a list that grows goes on: behind this record. It means something in one organization. */
export interface Position {
  organization_id: string;
  /** The instant of the record, in RFC 3339. */
  at: string;
  entity: string;
  entity_id: string;
}

/** The form of what is sealed. Another one would get another number. */
const form =
  /^1 ([\da-f-]{36}) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([A-Za-z]{1,32}|~) ([\da-f-]{36})$/;

/** The same for all cursors: who has one learns nothing from it, and can only send it back. */
const place = { record: "cursor", organization_id: "", id: "", field: "position" } as const;

/**
 * A position as callers know it: sealed, as it tells when something was changed, also in networks that a key
 * does not reach. The keys are those of secrets, so a cursor works as long as they are kept.
 */
export const cursorOf = (
  settings: Settings,
  { organization_id, at, entity, entity_id }: Position,
): Promise<string> =>
  keyRingOf(settings).seal(`1 ${organization_id} ${at} ${entity} ${entity_id}`, place);

/** The position of a cursor; null if it is none of ours. */
export async function positionOf(settings: Settings, cursor: string): Promise<Position | null> {
  const opened = await keyRingOf(settings)
    .open(cursor, place)
    .catch(() => null);
  const [, organization_id, at, entity, entity_id] = form.exec(opened ?? "") ?? [];
  return organization_id && at && entity && entity_id
    ? { organization_id, at, entity, entity_id }
    : null;
}

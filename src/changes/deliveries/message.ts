import { rfc3339 } from "../../database/tables/columns.ts";
import type { Settings } from "../../env.ts";
import { cursorOfMessage } from "../../http/list/cursor.ts";
import { type Change, type ChangeRow, toChange } from "../model.ts";
import type { NextDelivery } from "./state.ts";

/** What a receiver is sent (API contract, section 12). */
interface Payload {
  type: "inventory.changes" | "inventory.test";
  /** Of the latest change. */
  timestamp: string;
  data: { changes: Change[]; next_cursor: string | null };
}

/** The longest `webhook-id`, in characters of the digest. */
const idCharacters = 32;

/**
 * What tells a message from all others. It follows from what is told, so that a message that is sent once more
 * because nobody recorded it has the same id, and one that tells more has another.
 */
async function idOf(webhook: string, next: NextDelivery): Promise<string> {
  const { replays, after_at, after_entity, after_id, until_at, until_entity, until_id } = next;
  const told = [
    webhook,
    replays,
    after_at,
    after_entity,
    after_id,
    until_at,
    until_entity,
    until_id,
  ];
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(told.join(" ")));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0"));
  return `msg_${hex.join("").slice(0, idCharacters)}`;
}

/** The message of a delivery: of the same changes, the same bytes with every attempt. */
export async function messageOf(
  settings: Settings,
  { organization_id, id }: { organization_id: string; id: string },
  next: NextDelivery,
  rows: readonly ChangeRow[],
): Promise<{ id: string; body: string }> {
  const changes = rows.map((row) => toChange({ ...row, at: rfc3339(row.at) }, false));
  const message = next.message_id ?? (await idOf(id, next));
  const end = { at: next.until_at, entity: next.until_entity, entity_id: next.until_id };
  const next_cursor = await cursorOfMessage(settings, { organization_id, ...end }, message);
  const payload: Payload = {
    type: "inventory.changes",
    timestamp: changes.at(-1)?.at ?? next.until_at,
    data: { changes, next_cursor },
  };
  return { id: message, body: JSON.stringify(payload) };
}

/** A message that tells nothing, to try a receiver. */
export function testMessage(): { id: string; body: string } {
  const payload: Payload = {
    type: "inventory.test",
    timestamp: new Date().toISOString(),
    data: { changes: [], next_cursor: null },
  };
  return { id: `msg_${crypto.randomUUID().replaceAll("-", "")}`, body: JSON.stringify(payload) };
}

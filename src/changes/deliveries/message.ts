import { rfc3339 } from "../../database/tables/columns.ts";
import type { Settings } from "../../env.ts";
import { cursorOfMessage } from "../../http/list/cursor.ts";
import { type ChangeRow, toChange } from "../model.ts";
import type { ChangesMessage, TestMessage } from "./payload.ts";
import type { NextDelivery } from "./state.ts";

/** Length of the digest in `webhook-id`, in characters. */
const idCharacters = 32;

/**
 * Derives the id of a message from its range of the feed. A message that is sent again because its
 * result was not recorded has the same id; a message with more changes has a different id.
 */
async function idOf(webhook: string, next: NextDelivery): Promise<string> {
  const { replays, after_at, after_entity, after_id, until_at, until_entity, until_id } = next;
  const range = [
    webhook,
    replays,
    after_at,
    after_entity,
    after_id,
    until_at,
    until_entity,
    until_id,
  ];
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(range.join(" ")));
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0"));
  return `msg_${hex.join("").slice(0, idCharacters)}`;
}

/** Builds the message of a delivery. The same changes produce the same bytes on every attempt. */
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
  const payload: ChangesMessage = {
    type: "inventory.changes",
    timestamp: changes.at(-1)?.at ?? next.until_at,
    data: { changes, next_cursor },
  };
  return { id: message, body: JSON.stringify(payload) };
}

/** Builds a message without changes, to test a receiver. */
export function testMessage(): { id: string; body: string } {
  const payload: TestMessage = {
    type: "inventory.test",
    timestamp: new Date().toISOString(),
    data: { changes: [], next_cursor: null },
  };
  return { id: `msg_${crypto.randomUUID().replaceAll("-", "")}`, body: JSON.stringify(payload) };
}

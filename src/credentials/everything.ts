import { decodeBase64 } from "hono/utils/encode";
import type { TenantSession } from "../database/tenant.ts";
import { readAhead } from "../http/read-ahead.ts";
import { type CredentialSelection, credentialPage, credentialsByIds } from "./page.ts";
import { credentialWire } from "./wire.ts";

const portionSize = 1000;
const uuidBytes = 16;

/**
 * All credentials of a selection from `offset` on, in portions. Names and times of credentials can
 * change while the list is read, so no key tells where to go on; instead the first call fixes the
 * order of the ids, 16 bytes each, and each that exists throughout comes exactly once.
 */
export async function everyCredential(
  tenant: TenantSession,
  selection: CredentialSelection,
  offset: number,
) {
  const [rows] = await tenant.ask(() => [
    credentialPage(selection, { limit: portionSize, offset, withIds: true }),
  ]);
  const first = rows.flatMap(({ credential }) => (credential ? [credentialWire(credential)] : []));
  const ids = decodeBase64((rows[0]?.ids ?? "").replaceAll("\n", ""));
  let position = offset + first.length;
  const portions = readAhead(first, (_, signal) => {
    const wanted = uuids(ids, position, position + portionSize);
    position += wanted.length;
    return wanted.length === 0 ? null : fetchCredentials(tenant, wanted, signal);
  });
  return { portions, offset, total_count: rows[0]?.total_count ?? 0 };
}

async function fetchCredentials(tenant: TenantSession, ids: string[], signal: AbortSignal) {
  const [rows] = await tenant.ask(() => [credentialsByIds(ids)], { signal });
  return rows.map(credentialWire);
}

/** The ids from one position to another, of those that lie there in 16 bytes each. */
function uuids(bytes: Uint8Array, from: number, to: number): string[] {
  const found: string[] = [];
  for (let at = from * uuidBytes; at < Math.min(to * uuidBytes, bytes.length); at += uuidBytes) {
    const hex = Array.from(bytes.subarray(at, at + uuidBytes), (byte) =>
      byte.toString(16).padStart(2, "0"),
    ).join("");
    found.push(hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"));
  }
  return found;
}

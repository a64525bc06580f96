import { decodeBase64 } from "hono/utils/encode";
import type { TenantSession } from "../database/session.ts";
import { credentialChunk } from "./chunk.ts";
import { type CredentialSelection, credentialPage } from "./page.ts";
import { credentialWire } from "./wire.ts";

/** At most so many credentials are in a chunk; their bytes can cut it shorter (chunk.ts). */
const chunkSize = 1000;
const uuidBytes = 16;

/**
 * All credentials of a selection from `offset` on, in chunks. Names and times of credentials can
 * change while the list is read, so no key tells where to go on; instead the first call fixes the
 * order of the ids, 16 bytes each, and each that exists throughout comes exactly once.
 */
export async function everyCredential(
  tenant: TenantSession,
  selection: CredentialSelection,
  { offset, signal }: { offset: number; signal: AbortSignal },
) {
  const [rows] = await tenant.run(
    () => [credentialPage(selection, { limit: chunkSize, offset, isChunk: true })],
    { signal },
  );
  const ids = decodeBase64((rows[0]?.ids ?? "").replaceAll("\n", ""));
  let ready = rows.flatMap(({ credential }) => (credential ? [credentialWire(credential)] : []));
  let position = offset;
  let size = chunkSize;
  const advance = (taken: number) => {
    position += taken;
    // As many as came are likely to fit again; twice as many lets a chunk grow back.
    size = Math.min(chunkSize, 2 * taken);
  };
  const next = async () => {
    if (ready.length > 0) {
      const first = ready;
      ready = [];
      advance(first.length);
      return first;
    }
    const wanted = uuids(ids, position, position + size);
    if (wanted.length === 0) {
      return null;
    }
    const [found] = await tenant.run(() => [credentialChunk(wanted)], { signal });
    // Behind the last one that came lie those that did not fit, unless none exists any more.
    advance(found.at(-1)?.position ?? wanted.length);
    return found.map(({ credential }) => credentialWire(credential));
  };
  return { next, offset, total_count: rows[0]?.total_count ?? 0 };
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

import { decodeBase64 } from "hono/utils/encode";
import type { Columns } from "../../database/collection.ts";
import { chunkBytes, chunkOf, firstChunkOf, headOf } from "../../database/collection-chunks.ts";
import { pick, pickOf } from "../../database/columns-of.ts";
import { abortOnAny, type Guard } from "../../database/guards.ts";
import { fixedInstant, fixInstant, type Instant } from "../../database/history.ts";
import type { TenantSession } from "../../database/session.ts";
import { rfc3339 } from "../../database/tables/columns.ts";
import { uuidBytes, uuidOf } from "../../uuid.ts";
import { chunkFactor } from "../limits/stream-limits.ts";
import type { LargeRecord, Listing, NextChunk, Parts } from "./source.ts";

/** Maximum records per chunk; their bytes can cut it shorter. */
const chunkSize = 1000;

/**
 * A row of a chunk: a record, and its place among the ids; null where the list is empty. Of a large one,
 * which is alone in its chunk, only the place.
 */
type ChunkRow = Record<string, unknown> & { place: number | null; is_large: boolean | null };
type FirstRow = ChunkRow & { total_count: number; ids: string | null; instant: string | null };

/** The part of a list that is read. */
export interface Range {
  offset: number;
  /** How many records; 0 for all. */
  limit: number;
  signal: AbortSignal;
  /** What ends the first call before anything is read. */
  guards?: readonly Guard[];
}

/**
 * Records of a selection from `offset` on, in chunks. The first call fixes the order of the ids,
 * 16 bytes each; each record that exists throughout comes exactly once, whatever changes meanwhile. A
 * record that is too large for a chunk comes in parts.
 * @param listing what to read, or for one snapshot what to read at the instant that the first call fixes:
 *   every chunk then holds what was live at it, in the form that it had
 */
export async function readByIds<Read extends Columns, Item>(
  tenant: TenantSession,
  listing: Listing<Read, Item> | ((at: Instant) => Listing<Read, Item>),
  { offset, limit, signal, guards }: Range,
): Promise<{ next: NextChunk<Item>; total_count: number; instant: string | null }> {
  const isSnapshot = typeof listing === "function";
  const { source: opened, selection } = isSnapshot ? listing(fixedInstant) : listing;
  const range = { limit, offset, size: chunkSize, isCut: opened.inParts !== undefined };
  const [{ rows }] = await tenant.run(
    (database) => [database.execute<FirstRow>(firstChunkOf(opened, selection, range))],
    {
      signal,
      first: (database) => [
        ...abortOnAny(database, guards),
        ...(isSnapshot ? [database.execute(fixInstant)] : []),
      ],
    },
  );
  const instant = isSnapshot ? rfc3339(rows[0]?.instant ?? "") : null;
  const { source } = typeof listing === "function" ? listing(instant ?? "") : listing;
  const ids = decodeBase64((rows[0]?.ids ?? "").replaceAll("\n", ""));
  const { inParts } = source;
  const own = pickOf(source.columns);
  let ready: ChunkRow[] | null = rows.filter(({ place }) => place !== null);
  const total_count = rows[0]?.total_count ?? 0;
  rows.length = 0;
  let position = 0;
  let size = chunkSize;
  const take = async (found: ChunkRow[], wanted: number) => {
    // Behind the last one that came lie those that did not fit, unless none exists any more.
    const taken = found.at(-1)?.place ?? wanted;
    position += taken;
    // If the whole chunk fit, try twice as many; otherwise about as many as fit.
    size = Math.min(chunkSize, Math.ceil((taken < wanted ? 1.1 : 2) * taken));
    if (inParts && found[0]?.is_large) {
      const [id = ""] = uuids(ids, position - 1, position);
      return (await largeRecord(tenant, inParts, source, id, signal)) ?? [];
    }
    return found.map((row) => source.toItem(own(row)));
  };
  const next = async () => {
    if (ready) {
      const first = ready;
      ready = null;
      if (first.length > 0) {
        return take(first, chunkSize);
      }
    }
    const wanted = uuids(ids, position, position + size);
    if (wanted.length === 0) {
      return null;
    }
    const chunk = chunkOf(source, wanted, {
      bytes: chunkBytes * chunkFactor(),
      isCut: inParts !== undefined,
    });
    const [found] = await tenant.run((database) => [database.execute<ChunkRow>(chunk)], { signal });
    return take(found.rows, wanted.length);
  };
  return { next, total_count, instant };
}

/** The head of a large record, and what reads its lists; null if it does not exist any more. */
export async function largeRecord(
  tenant: TenantSession,
  { head, toHead, lists }: Parts,
  source: Listing["source"],
  id: string,
  signal: AbortSignal,
): Promise<LargeRecord | null> {
  const [{ rows }] = await tenant.run(
    (database) => [database.execute<Record<string, unknown>>(headOf(source, head, id))],
    { signal },
  );
  const parts = Object.entries(lists(id)).map(([field, listing]) => ({
    field,
    open: async () => (await readByIds(tenant, listing, { offset: 0, limit: 0, signal })).next,
  }));
  return rows[0] ? { head: toHead(pick(head, rows[0])), parts } : null;
}

/** The ids from one position to another, of those that lie there in 16 bytes each. */
function uuids(bytes: Uint8Array, from: number, to: number): string[] {
  const found: string[] = [];
  for (let at = from * uuidBytes; at < Math.min(to * uuidBytes, bytes.length); at += uuidBytes) {
    found.push(uuidOf(bytes.subarray(at, at + uuidBytes)));
  }
  return found;
}

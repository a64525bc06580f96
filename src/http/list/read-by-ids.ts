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
import { ChunkSize } from "./chunk-size.ts";
import type { LargeRecord, Listing, NextChunk, Parts } from "./source.ts";

/**
 * A row of a chunk: a record, and its position among the ids as `place`. If the list is empty,
 * `place` is null. The row of a large record has only the position, and is the only row in its
 * chunk.
 */
type ChunkRow = Record<string, unknown> & {
  place: number | null;
  is_large: boolean | null;
  bytes_so_far: string | null;
};
type FirstRow = ChunkRow & { total_count: number; ids: string | null; instant: string | null };

/** The range of a list to read. */
export interface Range {
  offset: number;
  /** Maximum number of records; 0 for all. */
  limit: number;
  signal: AbortSignal;
  /** Guards that abort the first call before it reads anything. */
  guards?: readonly Guard[];
}

/**
 * Reads the records of a selection, starting at `offset`, in chunks. The first call reads all ids
 * in order, 16 bytes each. A record that exists throughout is returned exactly once, even if it
 * changes in the meantime. A record that is too large for a chunk is returned in parts.
 * @param listing the listing to read. If it is a function, the list is one snapshot: the function
 *   receives the instant that the first call fixes, and every chunk contains the records that were
 *   live at that instant, as they were then
 */
export async function readByIds<Read extends Columns, Item>(
  tenant: TenantSession,
  listing: Listing<Read, Item> | ((at: Instant) => Listing<Read, Item>),
  { offset, limit, signal, guards }: Range,
): Promise<{ next: NextChunk<Item>; total_count: number; instant: string | null }> {
  const isSnapshot = typeof listing === "function";
  const { source: opened, selection } = isSnapshot ? listing(fixedInstant) : listing;
  const isCut = opened.inParts !== undefined;
  const size = new ChunkSize(opened.bytes, chunkBytes);
  const open = async (count: number) => {
    const range = { limit, offset, count, bytes: chunkBytes, isCut };
    const [first] = await tenant.run(
      (database) => [database.execute<FirstRow>(firstChunkOf(opened, selection, range))],
      {
        signal,
        first: (database) => [
          ...abortOnAny(database, guards),
          ...(isSnapshot ? [database.execute(fixInstant)] : []),
        ],
      },
    );
    return first.rows;
  };
  const rows = await size.read(open, chunkBytes * chunkFactor());
  const instant = isSnapshot ? rfc3339(rows[0]?.instant ?? "") : null;
  const { source } = typeof listing === "function" ? listing(instant ?? "") : listing;
  const ids = decodeBase64((rows[0]?.ids ?? "").replaceAll("\n", ""));
  const { inParts } = source;
  const own = pickOf(source.columns);
  let ready: ChunkRow[] | null = rows.filter(({ place }) => place !== null);
  const total_count = rows[0]?.total_count ?? 0;
  rows.length = 0;
  let position = 0;
  const take = async (chunk: ChunkRow[], requested: number) => {
    // The ids after the last returned row did not fit in the chunk. If no row was returned, none of
    // the records still exist, so all ids are skipped.
    position += chunk.at(-1)?.place ?? requested;
    if (inParts && chunk[0]?.is_large) {
      const [id = ""] = uuids(ids, position - 1, position);
      return (await largeRecord(tenant, inParts, source, id, signal)) ?? [];
    }
    return chunk.map((row) => source.toItem(own(row)));
  };
  const next = async () => {
    if (ready) {
      const first = ready;
      ready = null;
      if (first.length > 0) {
        return take(first, first.length);
      }
    }
    if (position * uuidBytes >= ids.length) {
      return null;
    }
    const bytes = chunkBytes * chunkFactor();
    let requested = 0;
    const read = async (count: number) => {
      const nextIds = uuids(ids, position, position + count);
      requested = nextIds.length;
      const query = chunkOf(source, nextIds, { bytes, isCut });
      const [chunk] = await tenant.run((database) => [database.execute<ChunkRow>(query)], {
        signal,
      });
      return chunk.rows;
    };
    return take(await size.read(read, bytes), requested);
  };
  return { next, total_count, instant };
}

/**
 * Reads the head of a large record, and returns it with readers for its lists; null if the record
 * has been deleted.
 */
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

/** Decodes the ids from one position to another; each takes 16 bytes. */
function uuids(bytes: Uint8Array, from: number, to: number): string[] {
  const decoded: string[] = [];
  for (let at = from * uuidBytes; at < Math.min(to * uuidBytes, bytes.length); at += uuidBytes) {
    decoded.push(uuidOf(bytes.subarray(at, at + uuidBytes)));
  }
  return decoded;
}

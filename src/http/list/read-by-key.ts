import { type SQL, sql } from "drizzle-orm";
import type { Columns, Place } from "../../database/collection.ts";
import {
  chunkBehind,
  chunkBytes,
  type KeyRange,
  plainChunkBehind,
  readInOrder,
} from "../../database/collection-chunks.ts";
import { pickOf, type RowOf } from "../../database/columns-of.ts";
import type { Database } from "../../database/connection.ts";
import { fixedInstant, fixInstant, type Versions } from "../../database/history.ts";
import type { TenantSession } from "../../database/session.ts";
import { chunkFactor } from "../limits/stream-limits.ts";
import { ChunkSize } from "./chunk-size.ts";
import { creationKeyOf } from "./cursor.ts";
import { largeRecord } from "./read-by-ids.ts";
import type { LargeRecord, Listing, NextChunk } from "./source.ts";

/**
 * Records of at most this many bytes of JSON are not measured: their chunks are limited by count
 * only.
 */
const plainBytes = 800;

/**
 * Maximum number of records per chunk, for records that are not measured. The first chunk is
 * smaller, so that the first byte is sent sooner. A chunk takes about 0.7 MB (1 MB if the names in the
 * labels of bindings are as long as possible), or twice that while few lists are streamed.
 */
export const chunkSizes = { first: 400, next: 850 };

/**
 * A row of a chunk. Only measured records have `place`, their size and the keys: see
 * {@link chunkBehind}.
 */
type KeyRow = Record<string, unknown> & {
  place?: number;
  bytes_so_far?: string;
  is_large?: boolean;
  key_created_at?: string;
  key_id?: string;
  key_count?: number;
};

interface Range {
  /** The instant of the request, if it is in the past; null for the live versions. */
  at: string | null;
  isDescending: boolean;
  signal: AbortSignal;
}

/**
 * Reads all records of a list with history in creation order, in chunks. Each chunk starts after
 * the key of the last record in the previous chunk.
 *
 * The list is one snapshot, although its chunks are read by separate calls: the first call fixes
 * the instant, and every chunk contains the versions that were valid at that instant, as they were
 * then.
 */
export async function readByKey<Read extends Columns, Item>(
  tenant: TenantSession,
  listingOf: (versions: Versions) => Listing<Read, Item>,
  { at, isDescending, signal }: Range,
): Promise<{ next: NextChunk<Item>; at: string }> {
  const first = (database: Database) => [database.execute(readInOrder)];
  const opening = readerOf(
    listingOf(
      at === null
        ? { kind: "justPassed", at: fixedInstant }
        : { kind: "at", at: sql`least(${at}::timestamptz, ${fixedInstant})` },
    ),
  );
  const size = new ChunkSize(opening.source.bytes, chunkBytes);
  let instant = "";
  let requested = chunkSizes.first;
  const open = async (count: number) => {
    requested = count;
    const [fixed, { rows }] = await tenant.run(
      (database) => [
        database.execute<{ instant: string }>(fixInstant),
        database.execute<KeyRow>(opening.statement({ after: undefined, count, factor: 1 })),
      ],
      { signal, first },
    );
    instant = fixed.rows[0]?.instant ?? "";
    return rows;
  };
  let ready: KeyRow[] | null = opening.isPlain
    ? await open(chunkSizes.first)
    : await size.read(open, chunkBytes * chunkFactor());
  const chosen = at !== null && at < instant ? at : instant;
  const { statement, isPlain, source, toItem } = readerOf(
    listingOf(at === null ? { kind: "justPassed", at: instant } : { kind: "at", at: chosen }),
  );
  let after: Place | undefined;
  let isLast = false;
  const take = async (chunk: KeyRow[]): Promise<Item[] | LargeRecord> => {
    const last = chunk.at(-1);
    if (last === undefined) {
      isLast = true;
      return [];
    }
    const { key_created_at, key_id = "", key_count = chunk.length } = last;
    const { id, created_at, lineage_id }: Record<string, unknown> = last;
    const taken = last.place ?? chunk.length;
    const key = isPlain
      ? { id, created_at, lineage_id }
      : { id: key_id, created_at: key_created_at };
    after = { ...creationKeyOf(key), isDescending };
    isLast = taken === key_count && key_count < requested;
    return source.inParts && chunk[0]?.is_large
      ? ((await largeRecord(tenant, source.inParts, source, key_id, signal)) ?? [])
      : chunk.map((row) => toItem(at === null ? row : asItWas(row, instant)));
  };
  const next = async () => {
    if (ready) {
      const firstChunk = ready;
      ready = null;
      return take(firstChunk);
    }
    if (isLast) {
      return null;
    }
    const factor = chunkFactor();
    const read = async (count: number) => {
      requested = count;
      const query = statement({ after, count, factor });
      const [{ rows }] = await tenant.run((database) => [database.execute<KeyRow>(query)], {
        signal,
        first,
      });
      return rows;
    };
    return take(
      isPlain ? await read(chunkSizes.next * factor) : await size.read(read, chunkBytes * factor),
    );
  };
  return { next, at: chosen };
}

/** Returns the statements that read a listing's chunks, and the mapping for their rows. */
function readerOf<Read extends Columns, Item>({ source, selection }: Listing<Read, Item>) {
  const { bytes, columns, inParts } = source;
  const isPlain = bytes !== undefined && bytes <= plainBytes;
  const pick = pickOf(columns);
  return {
    source,
    isPlain,
    statement: ({ factor, ...range }: KeyRange & { factor: number }): SQL =>
      isPlain
        ? plainChunkBehind(source, selection, range)
        : chunkBehind(source, selection, range, {
            bytes: chunkBytes * factor,
            isCut: inParts !== undefined,
          }),
    // A plain row has exactly these columns.
    toItem: (row: KeyRow): Item => source.toItem(isPlain ? (row as RowOf<Read>) : pick(row)),
  };
}

/**
 * Returns a version as it was at an instant. If it has been closed since then, it was live at that
 * instant, and had its live id.
 */
const asItWas = (row: KeyRow, instant: string): KeyRow =>
  typeof row["valid_to"] === "string" && row["valid_to"] > instant
    ? { ...row, id: row["lineage_id"], valid_to: null, lineage_id: null }
    : row;

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
import { placeOf } from "./cursor.ts";
import { largeRecord } from "./read-by-ids.ts";
import type { LargeRecord, Listing, NextChunk } from "./source.ts";

/** A kind whose records are at most of so many bytes of JSON is not measured. */
const plainBytes = 700;

/**
 * The most records of a chunk; a small one first, so that the first byte is soon on its way. Records that are not
 * measured make a chunk of at most 0.7 MB, and twice that while few lists stream. Others are cut to their bytes.
 */
export const chunkSizes = { first: 500, next: 1000 };

/** A row of a chunk. The keys, and the place, are of records that are measured: see {@link chunkBehind}. */
type KeyRow = Record<string, unknown> & {
  place?: number;
  is_large?: boolean;
  key_created_at?: string;
  key_id?: string;
  key_count?: number;
};

interface Range {
  /** The instant that the request names, if it has passed; null for the live versions. */
  at: string | null;
  isDescending: boolean;
  signal: AbortSignal;
}

/**
 * All records of a list with history in the order of creation, in chunks, each found by the key of the last record
 * before it.
 *
 * The list is one snapshot of the instant of the request, although its chunks are read one after the other: the first
 * call fixes that instant, and every chunk holds what was valid at it, in the form that it had then.
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
  const [fixed, { rows }] = await tenant.run(
    (database) => [
      database.execute<{ instant: string }>(fixInstant),
      database.execute<KeyRow>(
        opening.statement({ after: undefined, count: chunkSizes.first, factor: 1 }),
      ),
    ],
    { signal, first },
  );
  const instant = fixed.rows[0]?.instant ?? "";
  const chosen = at !== null && at < instant ? at : instant;
  const { statement, isPlain, source, toItem } = readerOf(
    listingOf(at === null ? { kind: "justPassed", at: instant } : { kind: "at", at: chosen }),
  );
  let ready: KeyRow[] | null = rows;
  let wanted = chunkSizes.first;
  let after: Place | undefined;
  let isLast = false;
  const take = async (found: KeyRow[]): Promise<Item[] | LargeRecord> => {
    const last = found.at(-1);
    if (last === undefined) {
      isLast = true;
      return [];
    }
    const { key_created_at, key_id = "", key_count = found.length } = last;
    const { id, created_at, lineage_id }: Record<string, unknown> = last;
    const taken = last.place ?? found.length;
    const key = isPlain
      ? { id, created_at, lineage_id }
      : { id: key_id, created_at: key_created_at };
    after = { ...placeOf(key), isDescending };
    isLast = taken === key_count && key_count < wanted;
    return source.inParts && found[0]?.is_large
      ? ((await largeRecord(tenant, source.inParts, source, key_id, signal)) ?? [])
      : found.map((row) => toItem(at === null ? row : asItWas(row, instant)));
  };
  const next = async () => {
    if (ready) {
      const found = ready;
      ready = null;
      return take(found);
    }
    if (isLast) {
      return null;
    }
    const factor = chunkFactor();
    wanted = chunkSizes.next * (isPlain ? factor : 1);
    const query = statement({ after, count: wanted, factor });
    const [found] = await tenant.run((database) => [database.execute<KeyRow>(query)], {
      signal,
      first,
    });
    return take(found.rows);
  };
  return { next, at: chosen };
}

/** How the chunks of a list are read. */
function readerOf<Read extends Columns, Item>({ source, selection }: Listing<Read, Item>) {
  const { bytes, columns, inParts } = source;
  const isPlain = typeof bytes === "number" && bytes <= plainBytes;
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
    // A plain row has been read with these columns and no others.
    toItem: (row: KeyRow): Item => source.toItem(isPlain ? (row as RowOf<Read>) : pick(row)),
  };
}

/** A version as it was at an instant: one that has been closed since was live, under its live id. */
const asItWas = (row: KeyRow, instant: string): KeyRow =>
  typeof row["valid_to"] === "string" && row["valid_to"] > instant
    ? { ...row, id: row["lineage_id"], valid_to: null, lineage_id: null }
    : row;

import { decodeBase64 } from "hono/utils/encode";
import type { Collection, Columns, Selection } from "../../database/collection.ts";
import { chunkBytes, chunkOf, firstChunkOf } from "../../database/collection-chunks.ts";
import { pick, type RowOf } from "../../database/columns-of.ts";
import { fixedInstant, fixInstant, type Instant } from "../../database/history.ts";
import type { TenantSession } from "../../database/session.ts";
import type { StreamedList } from "./stream.ts";
import { chunkFactor } from "./stream-limits.ts";

/** At most so many records are in a chunk; their bytes can cut it shorter. */
const chunkSize = 1000;
const uuidBytes = 16;

/** A row of a chunk: a record, and its place among the ids; null where the list is empty. */
type ChunkRow = Record<string, unknown> & { place: number | null };
type FirstRow = ChunkRow & { total_count: number; ids: string | null; instant: string | null };

/** What reads rows, and turns them into what callers see. */
interface Source<Read extends Columns, Item> extends Collection<Read> {
  toItem(row: RowOf<Read>): Item;
}

/** What a list reads. */
export interface Listing<Read extends Columns, Item> {
  source: Source<Read, Item>;
  selection: Selection;
}

/**
 * All records of a selection from `offset` on, in chunks. The first call fixes the order of the ids,
 * 16 bytes each; each record that exists throughout comes exactly once, whatever changes meanwhile.
 * @param listing what to read, or for one snapshot what to read at the instant that the first call fixes:
 *   every chunk then holds what was live at it, in the form that it had
 */
export async function readByIds<Read extends Columns, Item>(
  tenant: TenantSession,
  listing: Listing<Read, Item> | ((at: Instant) => Listing<Read, Item>),
  { offset, signal }: { offset: number; signal: AbortSignal },
): Promise<StreamedList<Item>> {
  const isSnapshot = typeof listing === "function";
  const { source: opened, selection } = isSnapshot ? listing(fixedInstant) : listing;
  const limit = opened.firstChunkSize ?? chunkSize;
  const [{ rows }] = await tenant.run(
    (database) => [database.execute<FirstRow>(firstChunkOf(opened, selection, { limit, offset }))],
    { signal, first: (database) => (isSnapshot ? [database.execute(fixInstant)] : []) },
  );
  const { source } = isSnapshot ? listing(rows[0]?.instant ?? "") : listing;
  const ids = decodeBase64((rows[0]?.ids ?? "").replaceAll("\n", ""));
  const toItem = (row: ChunkRow) => source.toItem(pick(source.columns, row));
  let ready = rows.flatMap((row) => (row.place === null ? [] : [toItem(row)]));
  let position = offset;
  let size = limit;
  const advance = (taken: number, wanted: number) => {
    position += taken;
    // Where all fitted, more may. Else about as many fit again, and each one more is measured in vain.
    size = Math.min(chunkSize, Math.ceil((taken < wanted ? 1.1 : 2) * taken));
  };
  const next = async () => {
    if (ready.length > 0) {
      const first = ready;
      ready = [];
      advance(first.length, limit);
      return first;
    }
    const wanted = uuids(ids, position, position + size);
    if (wanted.length === 0) {
      return null;
    }
    const [found] = await tenant.run(
      (database) => [
        database.execute<ChunkRow>(chunkOf(source, wanted, chunkBytes * chunkFactor())),
      ],
      { signal },
    );
    // Behind the last one that came lie those that did not fit, unless none exists any more.
    advance(found.rows.at(-1)?.place ?? wanted.length, wanted.length);
    return found.rows.map(toItem);
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

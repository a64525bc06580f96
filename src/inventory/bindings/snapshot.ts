import { sql } from "drizzle-orm";
import type { Database } from "../../database/connection.ts";
import { fixedInstant, fixInstant } from "../../database/history.ts";
import type { TenantSession } from "../../database/session.ts";
import { chunkFactor } from "../../http/limits/stream-limits.ts";
import { chunksByKey } from "../../http/list/chunks.ts";
import type { Everything } from "../../http/list/stream.ts";
import type { BindingFilters } from "./matching.ts";
import type { Binding } from "./model.ts";
import { type BindingRow, chunkAt, pageAt, readInOrder, recentChunk, timestampOf } from "./sql.ts";

/**
 * Rows of a chunk; a small one first, so that the first byte is soon on its way. A row is at most
 * 650 bytes of JSON, all of its columns being of fixed size, so a chunk is at most 0.65 MB, and twice
 * that while few lists stream.
 */
export const chunkSizes = { first: 500, next: 1000 };

interface Range {
  /** The instant that the caller asked for; undefined for that of the request. */
  at: string | undefined;
  offset: number;
  signal: AbortSignal;
}

/**
 * All bindings of an instant from `offset` on, in chunks, each found by the key of the last one.
 *
 * The list is one snapshot of the instant of the request, although its chunks are read one after
 * the other: the first call fixes that instant, and every chunk holds what was valid at it, in the
 * form that it had then.
 */
export async function snapshotOf(
  tenant: TenantSession,
  filters: BindingFilters,
  range: Range,
): Promise<Everything<Binding>> {
  const { at, signal } = range;
  const { instant, total_count, ...first } = await fetchFirst(tenant, filters, range);
  const chunk = at === undefined ? recentChunk : chunkAt;
  const chosen = at !== undefined && at < instant ? at : instant;
  const next = chunksByKey(first, async (last) => {
    const after = { created_at: last.created_at, live_id: last.lineage_id ?? last.id };
    const limit = chunkSizes.next * chunkFactor();
    const [{ rows }] = await tenant.run(
      (database) => [
        database.execute<BindingRow>(chunk(filters, { at: timestampOf(chosen), after, limit })),
      ],
      { signal, first: inOrder },
    );
    const items = rows.map((binding) => asItWas(binding, instant));
    return { items, isLast: items.length < limit };
  });
  return { next, total_count, at: chosen };
}

const inOrder = (database: Database) => [database.execute(readInOrder)];

/** Counts only where an offset may skip everything: else the list itself tells how long it is. */
async function fetchFirst(
  tenant: TenantSession,
  filters: BindingFilters,
  { at, offset, signal }: Range,
) {
  const limit = chunkSizes.first;
  const chosen = at === undefined ? fixedInstant : sql`least(${timestampOf(at)}, ${fixedInstant})`;
  const first =
    at === undefined
      ? recentChunk(filters, { at: chosen, after: null, limit })
      : chunkAt(filters, { at: chosen, after: null, limit });
  const [fixed, { rows }] = await tenant.run(
    (database) => [
      database.execute<{ instant: string }>(fixInstant),
      database.execute<BindingRow & { total_count?: number }>(
        offset === 0 ? first : pageAt(filters, { at: chosen, limit, offset }),
      ),
    ],
    { signal, first: inOrder },
  );
  const instant = fixed.rows[0]?.instant ?? "";
  const items = rows.flatMap(({ total_count: _, ...binding }) =>
    binding.id === null ? [] : [asItWas(binding, instant)],
  );
  return {
    instant,
    items,
    isLast: items.length < limit,
    total_count: offset === 0 ? null : (rows[0]?.total_count ?? 0),
  };
}

/** A version as it was at an instant: one that has been closed since was live, under its live id. */
const asItWas = (binding: Binding, instant: string): Binding =>
  binding.valid_to !== null && binding.valid_to > instant && binding.lineage_id !== null
    ? { ...binding, id: binding.lineage_id, valid_to: null, lineage_id: null }
    : binding;

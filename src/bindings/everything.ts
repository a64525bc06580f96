import { sql } from "drizzle-orm";
import type { Database } from "../database/connection.ts";
import type { TenantSession } from "../database/session.ts";
import { rfc3339 } from "../database/tables/columns.ts";
import { chunksByKey } from "../http/list/chunks.ts";
import type { StreamedList } from "../http/list/stream.ts";
import { bindingPage, bindingsAfter, firstBindings } from "./page.ts";
import type { BindingFilters, Selection } from "./versions.ts";
import type { Binding } from "./wire.ts";

/**
 * Rows of a chunk; a small one first, so that the first byte is soon on its way. A row is at most
 * 700 bytes of JSON, all of its columns being of fixed size, so a chunk is at most 0.7 MB.
 */
export const chunkSizes = { first: 500, next: 1000 };

/**
 * All bindings of an instant from `offset` on, in chunks, each found by the key of the last one.
 *
 * The list is one snapshot of the instant of the request, although its chunks are read one after
 * the other: the first call fixes that instant, and every chunk holds what was valid at it, in the
 * form that it had then.
 * @param range.at the instant that the caller asked for; without one, the instant of the request
 */
export async function everyBinding(
  tenant: TenantSession,
  filters: BindingFilters,
  range: { at: string | undefined; offset: number; signal: AbortSignal },
): Promise<StreamedList<Binding>> {
  const { instant, bindings, total_count } = await fetchFirst(tenant, filters, range);
  const { at, signal } = range;
  const selection = { filters, versions: at === undefined ? "now" : "at", isFixed: false } as const;
  const chosen = at !== undefined && at < instant ? at : instant;
  const next = chunksByKey(bindings, chunkSizes, (last) =>
    fetchAfter(tenant, selection, { chosen, instant, last }, signal),
  );
  return { next, offset: range.offset, total_count };
}

/** Counts only where an offset may skip everything: else the list itself tells how long it is. */
async function fetchFirst(
  tenant: TenantSession,
  filters: BindingFilters,
  { at, offset, signal }: { at: string | undefined; offset: number; signal: AbortSignal },
) {
  const limit = chunkSizes.first;
  const selection = { filters, versions: at === undefined ? "now" : "at", isFixed: true } as const;
  if (offset === 0) {
    const [fixed, rows] = await tenant.run(
      (database) => [fixInstant(database), firstBindings(selection, { at, limit })],
      { signal },
    );
    return { ...atInstant(fixed, rows), total_count: null };
  }
  const [fixed, rows] = await tenant.run(
    (database) => [
      fixInstant(database),
      bindingPage({ ...selection, versions: "at" }, { at, limit, offset }),
    ],
    { signal },
  );
  const bindings = rows.flatMap(({ binding }) => binding ?? []);
  return { ...atInstant(fixed, bindings), total_count: rows[0]?.total_count ?? 0 };
}

function atInstant(fixed: { rows: { instant: string }[] }, bindings: Binding[]) {
  const instant = rfc3339(fixed.rows[0]?.instant ?? "");
  return { instant, bindings: bindings.map((binding) => asItWas(binding, instant)) };
}

/** Fixes the instant of the request for the rest of the batch (migration `rules`). */
const fixInstant = (database: Database) =>
  database.execute<{ instant: string }>(sql`select app.fix_instant() as instant`);

async function fetchAfter(
  tenant: TenantSession,
  selection: Selection,
  { chosen, instant, last }: { chosen: string; instant: string; last: Binding },
  signal: AbortSignal,
): Promise<Binding[]> {
  const [chunk] = await tenant.run(
    () => [
      bindingsAfter(selection, {
        at: chosen,
        created_at: last.created_at,
        live_id: last.lineage_id ?? last.id,
        limit: chunkSizes.next,
      }),
    ],
    { signal },
  );
  return chunk.map((binding) => asItWas(binding, instant));
}

/** A version as it was at an instant: one that has been closed since was live, under its live id. */
const asItWas = (binding: Binding, instant: string): Binding =>
  binding.valid_to !== null && binding.valid_to > instant && binding.lineage_id !== null
    ? { ...binding, id: binding.lineage_id, valid_to: null, lineage_id: null }
    : binding;

import type pg from "pg";
import { asTenant, type Recording, type SentCall } from "../bench/statements.ts";

/**
 * The number of rows read from each table, and the tables that were read with a sequential scan.
 */
export interface Reads {
  rows: ReadonlyMap<string, number>;
  /** Index entries, including those of index-only scans. */
  entries: ReadonlyMap<string, number>;
  scanned: readonly string[];
}

interface Counted {
  table: string;
  rows: number;
  entries: number;
  scans: number;
}

/**
 * The reads in this transaction so far, including those inside functions. Rows of index-only scans
 * are not included.
 */
const counted = async (client: pg.Client): Promise<Counted[]> => {
  const { rows } = await client.query<Counted>(`
    select relname as table, (seq_tup_read + idx_tup_fetch)::int as rows, seq_scan::int as scans,
      coalesce((select sum(pg_stat_get_xact_tuples_returned(indexrelid)) from pg_index
        where indrelid = relid), 0)::int as entries
    from pg_stat_xact_user_tables`);
  return rows;
};

async function readsOfCall(client: pg.Client, { gate, statements }: SentCall): Promise<Counted[]> {
  return await asTenant(client, gate, async () => {
    const before = new Map((await counted(client)).map((one) => [one.table, one]));
    for (const { query, params } of statements) {
      await client.query(query, params);
    }
    return (await counted(client)).map(({ table, rows, entries, scans }) => ({
      table,
      rows: rows - (before.get(table)?.rows ?? 0),
      entries: entries - (before.get(table)?.entries ?? 0),
      scans: scans - (before.get(table)?.scans ?? 0),
    }));
  });
}

/** Repeats the statements of an operation, and counts the rows and index entries that they read. */
export async function readsOf(client: pg.Client, { calls }: Recording): Promise<Reads> {
  const rows = new Map<string, number>();
  const entries = new Map<string, number>();
  const scanned = new Set<string>();
  for (const call of calls) {
    for (const { table, rows: read, entries: readEntries, scans } of await readsOfCall(
      client,
      call,
    )) {
      rows.set(table, (rows.get(table) ?? 0) + read);
      entries.set(table, (entries.get(table) ?? 0) + readEntries);
      if (scans > 0) {
        scanned.add(table);
      }
    }
  }
  return { rows, entries, scanned: [...scanned] };
}

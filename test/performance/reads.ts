import type pg from "pg";
import { asTenant, type Recording, type SentCall } from "../bench/statements.ts";

/** How much of each table was read, and which tables were read from their beginning to their end. */
export interface Reads {
  rows: ReadonlyMap<string, number>;
  /** Entries of indexes, those included that alone tell what was asked. */
  entries: ReadonlyMap<string, number>;
  scanned: readonly string[];
}

interface Counted {
  table: string;
  rows: number;
  entries: number;
  scans: number;
}

/** What this transaction has read so far, inside functions too: what an index alone tells is none of it. */
const counted = async (client: pg.Client): Promise<Counted[]> => {
  const { rows } = await client.query<Counted>(`
    select relname as table, (seq_tup_read + idx_tup_fetch)::int as rows, seq_scan::int as scans,
      coalesce((select sum(pg_stat_get_xact_tuples_returned(indexrelid)) from pg_index
        where indrelid = relid), 0)::int as entries
    from pg_stat_xact_user_tables`);
  return rows;
};

async function readsOfCall(client: pg.Client, { gate, asked }: SentCall): Promise<Counted[]> {
  return await asTenant(client, gate, async () => {
    const before = new Map((await counted(client)).map((one) => [one.table, one]));
    for (const { query, params } of asked) {
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

/** Runs what an operation asked of the database once more, and counts what it reads. */
export async function readsOf(client: pg.Client, { calls }: Recording): Promise<Reads> {
  const rows = new Map<string, number>();
  const entries = new Map<string, number>();
  const scanned = new Set<string>();
  for (const call of calls) {
    for (const { table, rows: read, entries: looked, scans } of await readsOfCall(client, call)) {
      rows.set(table, (rows.get(table) ?? 0) + read);
      entries.set(table, (entries.get(table) ?? 0) + looked);
      if (scans > 0) {
        scanned.add(table);
      }
    }
  }
  return { rows, entries, scanned: [...scanned] };
}

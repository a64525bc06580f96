import type pg from "pg";
import { asTenant, type Recording, type SentCall } from "../bench/statements.ts";

/** How many rows of each table were read, and which tables were read from their beginning to their end. */
export interface Reads {
  rows: ReadonlyMap<string, number>;
  scanned: readonly string[];
}

interface Counted {
  table: string;
  rows: number;
  scans: number;
}

/** What this transaction has read so far, inside functions too: what an index alone tells is none of it. */
const counted = async (client: pg.Client): Promise<Counted[]> => {
  const { rows } = await client.query<Counted>(`
    select relname as table, (seq_tup_read + idx_tup_fetch)::int as rows, seq_scan::int as scans
    from pg_stat_xact_user_tables`);
  return rows;
};

async function readsOfCall(client: pg.Client, { gate, asked }: SentCall): Promise<Counted[]> {
  return await asTenant(client, gate, async () => {
    const before = new Map((await counted(client)).map((one) => [one.table, one]));
    for (const { query, params } of asked) {
      await client.query(query, params);
    }
    return (await counted(client)).map(({ table, rows, scans }) => ({
      table,
      rows: rows - (before.get(table)?.rows ?? 0),
      scans: scans - (before.get(table)?.scans ?? 0),
    }));
  });
}

/** Runs what an operation asked of the database once more, and counts what it reads. */
export async function readsOf(client: pg.Client, { calls }: Recording): Promise<Reads> {
  const rows = new Map<string, number>();
  const scanned = new Set<string>();
  for (const call of calls) {
    for (const { table, rows: read, scans } of await readsOfCall(client, call)) {
      rows.set(table, (rows.get(table) ?? 0) + read);
      if (scans > 0) {
        scanned.add(table);
      }
    }
  }
  return { rows, scanned: [...scanned] };
}

import { describe, expect, inject, test } from "vitest";
import { sql } from "../helpers/database.ts";
import { foldAll, foldOnce } from "../helpers/fold.ts";
import { mintOrganization } from "../helpers/organization.ts";
import { miscounted } from "../helpers/record-counts.ts";
import { hold } from "./held.ts";
import { openWriters, race } from "./writers.ts";

const folders = 2;
const readers = 2;

/** Folds an organization's rows in two transactions. */
async function foldInTwo(organizationId: string): Promise<void> {
  const rows = await sql`
    delete from count_deltas where organization_id = ${organizationId} returning *`;
  await sql`
    insert into count_deltas (organization_id, kind, network_id, change, is_folded)
    select organization_id, kind, network_id, sum(change), true
    from jsonb_populate_recordset(null::count_deltas, ${JSON.stringify(rows)}::jsonb)
    group by organization_id, kind, network_id having sum(change) <> 0`;
}

/**
 * Sixteen writers change an inventory while its counts are folded.
 * @returns the snapshots in which a sum differed from the number of records
 */
async function faultsOf(fold: (organizationId: string) => Promise<unknown>): Promise<string[]> {
  const { acts, organization } = await openWriters();
  const faults: string[] = [];
  const read = async () => {
    const rows = await sql.query(miscounted, [organization.id]);
    faults.push(...rows.map((row) => JSON.stringify(row)));
  };
  const others = [
    ...Array(folders).fill(() => fold(organization.id)),
    ...Array(readers).fill(read),
  ];
  await race(acts, others.length, async (isWriting) => {
    const act = others.pop() ?? read;
    while (isWriting()) {
      await act();
    }
    await act();
  });
  await foldAll();
  await read();
  return faults;
}

// A round takes seconds.
const rounds = Math.ceil(inject("raceRounds") / 25);

describe("sixteen writers, two jobs that fold counts, and readers", () => {
  test("every snapshot has exact counts", { timeout: 60_000 + rounds * 10_000 }, async () => {
    for (let round = 1; round <= rounds; round++) {
      expect({ round, faults: await faultsOf(() => foldOnce(20)) }).toEqual({ round, faults: [] });
    }
  });

  test("counts are wrong if they are folded in two transactions", {
    timeout: 120_000,
  }, async () => {
    let faults: string[] = [];
    for (let round = 1; round <= 20 && faults.length === 0; round++) {
      faults = await faultsOf(foldInTwo);
    }
    expect(faults).not.toEqual([]);
  });
});

describe("the job that folds counts", () => {
  const rowsOf = (id: string) => sql`
    select is_folded from count_deltas where organization_id = ${id}`;

  test("does not wait for the deletion of an organization, and folds other organizations", async () => {
    const [deleted, other] = [await mintOrganization(), await mintOrganization()];
    const held = await hold([sql`delete from organizations where id = ${deleted.id}`]);
    await foldAll();
    expect(new Set((await rowsOf(other.id)).map(({ is_folded }) => is_folded))).toEqual(
      new Set([true]),
    );
    await held.commit();
    expect(await rowsOf(deleted.id)).toEqual([]);
  });

  test("does not leave behind rows of an organization that is deleted at the same time", async () => {
    const { id } = await mintOrganization();
    await foldAll();
    await sql`delete from ports where organization_id = ${id}`;
    const held = await hold([sql`select app.fold_count_deltas(1000)`]);
    const deletion = sql`delete from organizations where id = ${id}`.then(() => "deleted");
    await held.commit();
    expect(await deletion).toBe("deleted");
    expect(await rowsOf(id)).toEqual([]);
  });

  test("skips rows that another job is folding", async () => {
    const { id } = await mintOrganization();
    const held = await hold([sql`select app.fold_count_deltas(1000)`]);
    expect(await foldOnce(1000)).toBe(0);
    expect(await sql.query(miscounted, [id])).toEqual([]);
    await held.commit();
    expect(await sql.query(miscounted, [id])).toEqual([]);
  });
});

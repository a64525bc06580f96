import { describe, expect, inject, test } from "vitest";
import { enter, sql } from "../helpers/database.ts";
import { liveState, orphansOf, type StateRow, stateAt } from "../helpers/inventory-state.ts";
import { mintHost, mintOrganization } from "../helpers/organization.ts";

const writers = 8;
/** The total number of transactions by all writers. */
const rounds = 1_000;

/**
 * The distinct names of a state's hosts and services. If there is more than one, the state is torn.
 */
const wordsOf = (state: readonly StateRow[]) => [
  ...new Set(
    state
      .filter(({ table }) => table === "hosts" || table === "services")
      .map(({ content }) => content["name"]),
  ),
];

// The embedded database has one session, so nothing runs concurrently.
describe.skipIf(!inject("isRealPostgres"))("eight writers on two hosts, with readers", () => {
  test("the state at a timestamp is never torn, has no orphans, and never changes once the timestamp is fixed", async () => {
    const { id, keys, networks } = await mintOrganization();
    const [network, elsewhere] = networks;
    await sql`delete from hosts where organization_id = ${id} and id = ${elsewhere.host_id}`;
    // Sorted in the order in which they are locked.
    const hosts = [network.host_id, (await mintHost(id, network.id)).host_id].sort();
    let left = rounds;
    let conflicts = 0;

    /**
     * Gives both hosts and their services the same new name, and the first host a new port and
     * binding.
     */
    const write = async (word: string, writer: number) => {
      const first =
        writer % 4 === 0
          ? // Fixes the timestamp before it locks the hosts, which may then already have later changes.
            sql`insert into subnets (organization_id, network_id, cidr, name)
              values (${id}, ${network.id}, ${`10.${writer}.${left >> 8}.${left & 255}/32`}, ${word})`
          : sql`select app.lock_hosts(${hosts}::uuid[])`;
      await sql.transaction([
        enter(keys.member),
        first,
        sql`update hosts set name = ${word} where id = ${hosts[0]}`,
        sql`update services set name = ${word} where host_id = ${hosts[0]} and valid_to is null`,
        sql`update hosts set name = ${word} where id = ${hosts[1]}`,
        sql`update services set name = ${word} where host_id = ${hosts[1]} and valid_to is null`,
        sql`delete from ports where host_id = ${hosts[0]} and valid_to is null`,
        sql`insert into ports (organization_id, host_id, number, protocol)
          values (${id}, ${hosts[0]}, ${1 + left}, 'Tcp')`,
        sql`
          insert into bindings (organization_id, type, service_id, port_id)
          select service.organization_id, 'Port', service.id, port.id
          from services as service join ports as port on port.live_host_id = service.live_host_id
          where service.live_host_id = ${hosts[0]}`,
      ]);
    };
    const writing = Array.from({ length: writers }, async (_, writer) => {
      while (left > 0) {
        left -= 1;
        await write(`${writer} ${left}`, writer).catch((error: { code?: string }) => {
          expect(["40001", "40P01"]).toContain(error.code);
          conflicts += 1;
        });
      }
    });
    const seen: { at: string; state: StateRow[] }[] = [];
    const reading = Array.from({ length: 2 }, async () => {
      while (left > 0) {
        const [row] = await sql`select app.fix_instant() as at`;
        const at = String(row?.["at"]);
        seen.push({ at, state: await stateAt(id, at) });
      }
    });
    await Promise.all([...writing, ...reading]);

    expect(conflicts).toBeLessThan(rounds / 2);
    expect(seen.length).toBeGreaterThan(50);
    for (const { at, state } of seen) {
      expect(wordsOf(state), at).toHaveLength(1);
      expect(orphansOf(state), at).toEqual([]);
      expect(await stateAt(id, at), at).toEqual(state);
    }
    const live = await liveState(id);
    expect(wordsOf(live)).toHaveLength(1);
    // For a record that always exists, each version starts where the previous one ends.
    const gaps = await sql`
      select from (
        select valid_from, lag(valid_to) over (partition by live_id order by valid_from) as ended
        from hosts where organization_id = ${id} and live_id = any (${hosts})) as version
      where ended <> valid_from`;
    expect(gaps).toEqual([]);
    const boundaries = await sql`
      select valid_from as at from hosts where organization_id = ${id} and live_id = ${hosts[0]}`;
    // Every committed transaction started a version, so no change was lost.
    expect(boundaries).toHaveLength(rounds - conflicts + 1);
    for (const { at } of boundaries) {
      const state = await stateAt(id, String(at));
      expect(wordsOf(state), String(at)).toHaveLength(1);
      expect(orphansOf(state), String(at)).toEqual([]);
    }
    console.info(`${rounds} rounds, ${conflicts} conflicts, ${seen.length} fixed timestamps`);
  }, 180_000);
});

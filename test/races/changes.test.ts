import { expect, inject, test } from "vitest";
import { diffSchema } from "../../src/changes/model.ts";
import { followChanges, pageOfChanges } from "../changes/helpers.ts";
import { historyOf } from "../changes/history.ts";
import { keyOf } from "../changes/history-query.ts";
import { pathOf, replay, type State } from "../changes/replay.ts";
import { sql } from "../helpers/database.ts";
import { below, openWriters, pause, race, type Writers } from "./writers.ts";

const readers = 4;
const seconds = inject("raceSeconds");
const rounds = inject("raceRounds");
/** The maximum number of changes in a page. */
const largestPage = seconds > 0 ? 1000 : 200;

/**
 * If `RACE_SECONDS` is set, one round of that duration; otherwise `RACE_ROUNDS / every` rounds, but
 * at least one.
 */
const roundsFor = (every: number) =>
  Array.from({ length: seconds > 0 ? 1 : Math.max(1, Math.round(rounds / every)) }, (_, at) => at);

const timeout = 60_000 + seconds * 2000 + rounds * 2000;

/** Moves an organization's timestamps ahead of the clock, as if the clock had been set back. */
const setClockBack = (organizationId: string) => sql`
  insert into transactions (organization_id, changed_at, actor_type)
  values (${organizationId}, date_trunc('milliseconds', clock_timestamp()) + interval '1 hour', 'system')`;

/**
 * Follows a cursor, with pauses, until no further changes can appear. Returns the `keyOf` of each
 * change.
 */
async function follow({ inventory }: Writers, cursor: string, isWriting: () => boolean) {
  const get = (path: string) => inventory.send("GET", path);
  const collected: string[] = [];
  let next = cursor;
  for (let isLast = false; !isLast; ) {
    const wasWriting = isWriting();
    const limit = String(1 + below(largestPage));
    const { data, meta } = await pageOfChanges(get, { cursor: next, limit });
    collected.push(...data.map(keyOf));
    next = meta.next_cursor;
    isLast = !wasWriting && !meta.has_more;
    await pause(20);
  }
  return collected;
}

/**
 * The first difference between two lists, or undefined if they are equal. The complete difference
 * would be too long to print.
 */
function firstDifference(actual: readonly string[], expected: readonly string[]) {
  const length = Math.max(actual.length, expected.length);
  for (let at = 0; at < length; at++) {
    if (actual[at] !== expected[at]) {
      return { at, actual: actual.slice(at, at + 5), expected: expected.slice(at, at + 5) };
    }
  }
  return undefined;
}

test("readers collect each change once and in order while sixteen writers write", {
  timeout,
}, async () => {
  for (const round of roundsFor(25)) {
    const writers = await openWriters();
    const { changes: before, cursor } = await followChanges((path) =>
      writers.inventory.send("GET", path),
    );
    const organizationId = writers.organization.id;
    if (round % 2 === 1) {
      await setClockBack(organizationId);
    }
    const collected = await race(writers.acts, readers, (isWriting) =>
      follow(writers, cursor, isWriting),
    );
    const history = (await historyOf(organizationId)).slice(before.length);
    expect(history.length).toBeGreaterThan(100);
    for (const changes of collected) {
      expect(firstDifference(changes, history), `round ${round}`).toBe(undefined);
    }
  }
});

/** The records of a state as strings, without the instants at which their versions began. */
const textsOf = (state: State) =>
  [...state]
    .map(([path, { valid_from: _, ...record }]) => `${path} ${JSON.stringify(record)}`)
    .sort();

test("consecutive diffs add up to all changes while sixteen writers write", {
  timeout,
}, async () => {
  for (const round of roundsFor(50)) {
    const { inventory, organization, acts } = await openWriters();
    const get = (path: string) => inventory.send("GET", path);
    if (round % 2 === 1) {
      await setClockBack(organization.id);
    }
    const chains = await race(acts, 2, async (isWriting) => {
      const state = new Map<
        string,
        State extends ReadonlyMap<string, infer Fields> ? Fields : never
      >();
      let from = "0001-01-01T00:00:00.000Z";
      for (let isLast = false; !isLast; ) {
        isLast = !isWriting();
        const query = new URLSearchParams({ from, include: "records", limit: "0" });
        const answer = await get(`diff?${query}`);
        expect(answer).toMatchObject({ status: 200 });
        const { to, items } = diffSchema.parse(Object(answer.body).data);
        expect(to >= from, `${to} before ${from}`).toBe(true);
        for (const item of items) {
          const previous = state.get(pathOf(item)) ?? null;
          expect(previous && { ...previous, valid_from: "" }).toEqual(
            item.before && { ...item.before, valid_from: "" },
          );
          if (item.after) {
            state.set(pathOf(item), item.after);
          } else {
            state.delete(pathOf(item));
          }
        }
        from = to;
        await pause(20);
      }
      return state;
    });
    const { changes } = await followChanges(get, { include: "records", limit: "1000" });
    const expected = textsOf(replay(new Map(), changes).state);
    for (const state of chains) {
      expect(firstDifference(textsOf(state), expected), `round ${round}`).toBe(undefined);
    }
  }
});

/**
 * Queries of naive readers, which remember only the highest position that they have read. Each
 * query selects the `id` and `position` of new hosts.
 */
const naive = {
  "a transaction's id":
    "select id, xmin::text::bigint as position from hosts where organization_id = $1 and xmin::text::bigint > $2",
  "a serial number":
    "select host_id as id, number as position from test_serials where organization_id = $1 and number > $2",
  "a timestamp":
    "select id, (extract(epoch from created_at) * 1000)::bigint as position from hosts where organization_id = $1 and created_at > to_timestamp($2 / 1000.0)",
};

test.each(Object.entries(naive))(
  "a reader that relies on %s misses hosts in the same race",
  { timeout },
  async (_, select) => {
    await sql.transaction([
      sql`create table if not exists test_serials (
      number bigserial primary key, organization_id uuid, host_id uuid)`,
      sql`create or replace function test_number() returns trigger language plpgsql security definer as $$
      begin insert into public.test_serials (organization_id, host_id)
        values (new.organization_id, new.id); return null; end $$`,
      sql`create or replace trigger test_number after insert on hosts
      for each row when (new.valid_to is null) execute function test_number()`,
    ]);
    try {
      let lost = 0;
      for (let round = 1; round <= 50 && lost === 0; round++) {
        const writers = await openWriters();
        const seen = await race(writers.creating, readers, async (isWriting) => {
          const ids = new Set<string>();
          let position = 0;
          for (let isLast = false; !isLast; ) {
            isLast = !isWriting();
            for (const row of await sql.query(select, [writers.organization.id, position])) {
              ids.add(String(row["id"]));
              position = Math.max(position, Number(row["position"]));
            }
          }
          return ids;
        });
        const all =
          await sql`select id from hosts where organization_id = ${writers.organization.id}
        and valid_to is null`;
        lost = Math.max(...seen.map((ids) => all.filter(({ id }) => !ids.has(id)).length));
      }
      expect(lost).toBeGreaterThan(0);
    } finally {
      await sql`drop function test_number() cascade`;
      await sql`drop table test_serials`;
    }
  },
);

import { beforeAll, describe, expect, test } from "vitest";
import { storedStatements } from "../../src/stored-statements.ts";
import { becomeApi, enter, sql } from "../helpers/database.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";

const statements = storedStatements();

let own: PopulatedOrganization;
let other: PopulatedOrganization;

beforeAll(async () => {
  own = await mintPopulatedOrganization();
  other = await mintPopulatedOrganization();
});

test("no two stored statements have the same name", () => {
  expect(new Set(statements.map(({ name }) => name)).size).toBe(statements.length);
});

/** The id of an organization's record in a table; with history, of a live record. */
async function idIn(table: string, { id }: PopulatedOrganization): Promise<string> {
  const [row] = await sql.query(
    `select record.id from "${table}" as record
     where ${table === "organizations" ? "id" : "organization_id"} = $1
       and to_jsonb(record) -> 'valid_to' is not distinct from
         case when to_jsonb(record) ? 'valid_to' then 'null'::jsonb end
     limit 1`,
    [id],
  );
  return String(row?.["id"]);
}

test.each(statements)(
  "app.$name contains the statement that the Worker would send",
  async ({ name, text }) => {
    const functions = await sql`
    select prosrc, prosecdef, provolatile, proconfig from pg_proc
    where pronamespace = 'app'::regnamespace and proname = ${name}`;
    expect(functions).toEqual([
      {
        prosrc: `#variable_conflict use_column\nbegin\n  return query\n\n${text}\n;\nend\n`,
        prosecdef: false,
        provolatile: "s",
        proconfig: [
          "search_path=pg_catalog, public, pg_temp",
          "plan_cache_mode=force_generic_plan",
        ],
      },
    ]);
  },
);

const calls = (prefix: string) =>
  statements
    .filter(({ name }) => name.startsWith(prefix))
    .map(({ name, table, text }) => ({
      ...{ name, table },
      call: (...values: readonly unknown[]) =>
        sql.query(`select * from app.${name}(${values.map((_, at) => `$${at + 1}`)})`, [...values]),
      send: (...values: readonly unknown[]) => sql.query(text, [...values]),
    }));

describe.each(calls("read_"))("app.$name", ({ table, call, send }) => {
  test("returns what the statement returns", async () => {
    const id = await idIn(table, own);
    const [, called, sent] = await sql.transaction([enter(own.keys.owner), call(id), send(id)]);
    expect(called).toHaveLength(1);
    expect(called).toEqual(sent);
  });

  test("does not return another organization's record, or any record without the gate", async () => {
    const [ownId, otherId] = [await idIn(table, own), await idIn(table, other)];
    const [, others] = await sql.transaction([enter(own.keys.owner), call(otherId)]);
    expect(others).toEqual([]);
    const [, withoutGate] = await sql.transaction([becomeApi(), call(ownId)]);
    expect(withoutGate).toEqual([]);
  });
});

describe.each(calls("list_"))("app.$name", ({ name, table, call, send }) => {
  /**
   * The arguments: the limit and, for a page that starts after a record, a position before all
   * records and an instant.
   */
  async function argumentsOf(limit: number): Promise<unknown[]> {
    const [row] = await sql`select pronargs as count from pg_proc where proname = ${name}`;
    const place = ["2000-01-01T00:00:00Z", crypto.randomUUID(), new Date(Date.now() + 1000)];
    return [limit, ...place].slice(0, Number(row?.["count"]));
  }

  const settled = () => sql`select set_config('app.settled', now()::text, true)`;

  test("returns what the statement returns", async () => {
    const values = await argumentsOf(101);
    const [, , called, sent] = await sql.transaction([
      enter(own.keys.owner),
      settled(),
      call(...values),
      send(...values),
    ]);
    expect(called).not.toEqual([]);
    expect(called).toEqual(sent);
    const [{ count } = { count: 0 }] = await sql.query(
      `select count(*)::int as count from "${table}" as record
       where organization_id = $1 and to_jsonb(record) ->> 'valid_to' is null`,
      [own.id],
    );
    expect(called).toHaveLength(Number(count));
  });

  test("returns no more records than its limit", async () => {
    const [, , called] = await sql.transaction([
      enter(own.keys.owner),
      settled(),
      call(...(await argumentsOf(1))),
    ]);
    expect(called).toHaveLength(1);
  });

  test("returns no record without the gate", async () => {
    const [, , called] = await sql.transaction([
      becomeApi(),
      settled(),
      call(...(await argumentsOf(1))),
    ]);
    expect(called).toMatchObject([{ id: null }]);
  });
});

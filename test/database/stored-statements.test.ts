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

describe.each(statements)("app.$name", ({ name, table, text }) => {
  const call = (id: string) => sql.query(`select * from app.${name}($1)`, [id]);

  test("contains the statement that the Worker would send", async () => {
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
  });

  test("returns what the statement returns", async () => {
    const id = await idIn(table, own);
    const [, called, sent] = await sql.transaction([
      enter(own.keys.owner),
      call(id),
      sql.query(text, [id]),
    ]);
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

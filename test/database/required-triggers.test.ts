import { expect, test } from "vitest";
import { sql } from "../helpers/database.ts";

/**
 * Records that are assigned or limited to specific networks. Those networks determine which
 * operations a limited key may perform on the records (API contract, section 3).
 */
const judgedByTheirNetworks = ["credentials", "webhooks"];

/**
 * The tables whose records callers can identify, with their triggers and the columns that determine
 * which triggers are needed.
 */
const recordTables = await sql`
  select relation.relname as name,
    array(select attname::text from pg_attribute as attribute
      where attribute.attrelid = relation.oid and not attribute.attisdropped) as columns,
    array(select tgname::text from pg_trigger as trigger
      where trigger.tgrelid = relation.oid and not trigger.tgisinternal) as triggers,
    has_table_privilege('inventory_api', relation.oid, 'insert')
      or has_any_column_privilege('inventory_api', relation.oid, 'insert') as "canInsert"
  from pg_class as relation
  where relation.relnamespace = 'public'::regnamespace and relation.relkind = 'r'
    and exists (select from pg_attribute as attribute
      where attribute.attrelid = relation.oid and attribute.attname = 'revision')
  order by relation.relname`;

const namesOf = (tables: typeof recordTables) => tables.map(({ name }) => name);

const without = (trigger: string, tables: typeof recordTables) =>
  namesOf(tables.filter(({ triggers }) => !triggers.includes(trigger)));

const keepsHistory = ({ columns }: (typeof recordTables)[number]) => columns.includes("valid_from");

test("every record with a revision increments it on each change", () => {
  expect(recordTables.length).toBeGreaterThanOrEqual(13);
  expect(without("history_2_change", recordTables.filter(keepsHistory))).toEqual([]);
  expect(
    without(
      "touch",
      recordTables.filter((table) => !keepsHistory(table)),
    ),
  ).toEqual([]);
});

test("a key limited to specific networks cannot write records above network level", () => {
  const above = recordTables.filter(
    ({ name, columns, canInsert }) =>
      canInsert && !columns.includes("network_id") && !judgedByTheirNetworks.includes(name),
  );
  expect(above.length).toBeGreaterThan(0);
  expect(without("refuse_limited_key", above)).toEqual([]);
});

test("the audit log records callers' changes to every record without history", () => {
  const records = recordTables.filter(
    (table) => !keepsHistory(table) && table["canInsert"] && table["name"] !== "discovery_sessions",
  );
  expect(records.length).toBeGreaterThanOrEqual(5);
  for (const trigger of ["audit_created", "audit_changed", "audit_deleted"]) {
    expect(without(trigger, records)).toEqual([]);
  }
});

test("the number of records of each kind without history is limited", () => {
  const unbounded = recordTables.filter(
    (table) =>
      table["canInsert"] &&
      !keepsHistory(table) &&
      !table["triggers"].some((trigger: string) => /^bound_/.test(trigger)),
  );
  expect(namesOf(unbounded)).toEqual([]);
});

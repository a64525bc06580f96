import { expect, test } from "vitest";
import { kinds } from "../../src/database/tables/kinds.ts";
import { changedFields } from "../../src/openapi/changed-fields.ts";

const record = (properties: Record<string, unknown>) => ({ type: "object", properties });

/** The schemas of a change's fields, if these are the schemas of the records. */
const fieldsOf = (records: Record<string, Record<string, unknown>>) => {
  const names = [...Object.keys(kinds), "HostIPAddress"];
  const components = Object.fromEntries(names.map((name) => [name, record(records[name] ?? {})]));
  return changedFields(components)["properties"];
};

test("a field that one kind has, has its schema in the record, without its description", () => {
  const number = { type: "integer", minimum: 1 };
  expect(fieldsOf({ Port: { number: { ...number, description: "The number." } } })).toEqual({
    number,
  });
});

test("a field that several kinds have with different bounds accepts the values of all of them", () => {
  const fields = fieldsOf({
    Host: { name: { type: "string", minLength: 1, maxLength: 100 } },
    Interface: { name: { type: ["string", "null"], minLength: 1, maxLength: 255 } },
  });
  expect(fields).toEqual({ name: { type: ["string", "null"], maxLength: 255 } });
});

test("a field that is an enumeration in several kinds accepts the values of all of them", () => {
  const fields = fieldsOf({
    Neighbor: { protocol: { type: "string", enum: ["Lldp", "Cdp"] } },
    Port: { protocol: { type: "string", enum: ["Tcp", "Udp"] } },
  });
  expect(fields).toEqual({ protocol: { type: "string", enum: ["Lldp", "Cdp", "Tcp", "Udp"] } });
});

test("a field whose type differs between kinds has no type", () => {
  const fields = fieldsOf({
    Binding: { type: { type: "string", enum: ["Port"] } },
    Interface: { type: { type: ["integer", "null"] } },
  });
  expect(fields).toEqual({ type: {} });
});

test("fields that start no version, and fields that a record computes, are left out", () => {
  const text = { type: "string" };
  expect(fieldsOf({ Host: { hidden: text, tags: text, updated_at: text } })).toEqual({});
});

test("fields have the names under which callers read them", () => {
  const text = { type: "string" };
  const fields = fieldsOf({
    HostIPAddress: { address: text, ip_address: text },
    Neighbor: { chassis_subtype: text, chassis_id: text },
  });
  expect(fields).toEqual({ ip_address: text, chassis_id: text });
});

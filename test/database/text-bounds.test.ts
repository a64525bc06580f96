import { describe, expect, test } from "vitest";
import * as z from "zod";
import { tokenInput } from "../../src/api-keys/issue-token.ts";
import { provisionInput } from "../../src/daemons/input.ts";
import { serviceBindingInput } from "../../src/inventory/bindings/input.ts";
import { hostInterfaceInput } from "../../src/inventory/interfaces/input.ts";
import { hostAddressInput } from "../../src/inventory/ip-addresses/input.ts";
import { hostPortInput } from "../../src/inventory/ports/input.ts";
import { hostServiceInput } from "../../src/inventory/services/input.ts";
import { renameSchema } from "../../src/organizations/input.ts";
import { sql } from "../helpers/database.ts";
import { routes } from "../helpers/routes.ts";

/** Collections whose table has a different name. */
const otherNames: Readonly<Record<string, string>> = { auth_keys: "user_api_keys" };

/**
 * Inputs, by table, that are not themselves request bodies: they are nested in other inputs, or the
 * route wraps them.
 */
const inside: Readonly<Record<string, z.ZodType[]>> = {
  organizations: [z.strictObject({ name: renameSchema })],
  daemons: [provisionInput],
  ip_addresses: [hostAddressInput],
  ports: [hostPortInput],
  interfaces: [hostInterfaceInput],
  services: [hostServiceInput],
  bindings: [serviceBindingInput],
};

/**
 * The inputs that are written to each table: the bodies that create or replace its records, and the
 * nested inputs.
 */
const inputs = routes.flatMap(({ method, path, json }) => {
  const [, collection = ""] = /^\/api\/v1\/([^:]*)\/:id$/.exec(path) ?? [];
  if (method !== "PUT" || collection === "") {
    return [];
  }
  const name = collection.replaceAll(/\W/g, "_");
  const table = otherNames[name] ?? name;
  const created = routes.find((other) => other.name === `POST /api/v1/${collection}`);
  const bodies = [json, created?.json].filter((body) => body instanceof z.ZodType);
  return [{ table, schemas: [...bodies, ...(inside[table] ?? [])] }];
});
// Tokens are only issued, so no request replaces them.
inputs.push({ table: "user_api_tokens", schemas: [tokenInput] });

/**
 * Columns with a maximum length that the tests below cannot find in a request: the poller or the
 * database writes them, or they are nested more deeply.
 */
const notSent = [
  "neighbors.chassis_value",
  "neighbors.port_value",
  "audit_entries.actor_name",
  "audit_entries.label",
  "audit_entries.request_id",
  "webhook_deliveries.after_entity",
  "webhook_deliveries.message_id",
  "webhook_deliveries.until_entity",
  "webhook_secrets.sealed",
  "webhooks.position_entity",
  "webhooks.secret_hint",
  "transactions.actor_name",
  "transactions.request_id",
  "daemon_secrets.sealed",
  "daemons.schedule_cron",
  "daemons.schedule_timezone",
  "daemons.version",
  // A command writes it.
  "app.operator_keys.name",
  "idempotency_keys.key",
  "idempotency_keys.operation",
  "idempotency_keys.subject",
];

/** The columns of fields that a request writes to another table than the rest of its body. */
const otherColumns: Readonly<Record<string, string>> = {
  "organizations.key_name": "user_api_keys.name",
};

/** The maximum length of every text column with a check, by table and column. */
async function storedBounds(): Promise<Map<string, number>> {
  const rows = await sql`
    select con.conrelid::regclass::text as "table", att.attname as "column",
      pg_get_constraintdef(con.oid) as definition
    from pg_constraint as con
    join pg_attribute as att on att.attrelid = con.conrelid and array[att.attnum] = con.conkey
    where con.contype = 'c' and pg_get_constraintdef(con.oid) like '%char_length(%'`;
  return new Map(
    rows.map(({ table, column, definition }) => [
      `${table}.${column}`,
      Number(/<= (\d+)/.exec(definition)?.[1]),
    ]),
  );
}

/** The fields of an input, by name. For a union, the fields of all variants. */
const fieldsOf = (schema: z.ZodType): [string, z.ZodType][] => {
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape);
  }
  return schema instanceof z.ZodUnion
    ? schema.options.flatMap((option) => (option instanceof z.ZodType ? fieldsOf(option) : []))
    : [];
};

/** Returns a string of the given length that is also valid in a URL field. */
const textOf = (field: string, length: number) =>
  (field === "url" ? "https://example.com/" : "").padEnd(length, "a");

const takes = (field: string, schema: z.ZodType, length: number) =>
  schema.safeParse(textOf(field, length)).success;

/** False for ignored fields, which accept any string and are not written. */
const isWritten = (field: string, schema: z.ZodType) =>
  schema.safeParse(textOf(field, 100)).data !== undefined;

describe.each(inputs)("text columns of $table", ({ table, schemas }) => {
  test("have the same maximum length in requests and in the database", async () => {
    const bounds = await storedBounds();
    const wrong = schemas.flatMap((schema) =>
      fieldsOf(schema).flatMap(([field, value]) => {
        if (!takes(field, value, 100) || !isWritten(field, value)) {
          return [];
        }
        const column = `${table}.${field}`;
        const bound = bounds.get(otherColumns[column] ?? column) ?? 0;
        const isRight = takes(field, value, bound) && !takes(field, value, bound + 1);
        return isRight ? [] : [{ field, bound }];
      }),
    );
    expect(wrong).toEqual([]);
  });

  test("are all written by at least one request", async () => {
    const bounds = await storedBounds();
    const sent = new Set(schemas.flatMap((schema) => fieldsOf(schema).map(([field]) => field)));
    const stored = [...bounds.keys()].filter((name) => name.startsWith(`${table}.`));
    expect(
      stored.filter((name) => !sent.has(name.slice(table.length + 1)) && !notSent.includes(name)),
    ).toEqual([]);
  });
});

test("every column with a maximum length is in one of the tables above, or is not written by any request", async () => {
  const present = new Set(inputs.map(({ table }) => table));
  const others = [...(await storedBounds()).keys()].filter(
    (name) => !present.has(name.split(".")[0] ?? ""),
  );
  expect(others.filter((name) => !notSent.includes(name))).toEqual([]);
});

test("the inputs above include every body that creates or replaces a record", () => {
  const present = new Set(inputs.flatMap(({ schemas }) => schemas));
  const bodies = routes.filter(
    ({ method, path }) =>
      /^\/api\/v1\/[^:]*(\/:id)?$/.test(path) && !["GET", "PATCH"].includes(method),
  );
  const unknown = bodies.filter(({ json, path }) => {
    const body = json instanceof z.ZodArray ? json.element : json;
    // Bodies that consist of ids are not records, and the URL of a reachability test is not stored.
    const isStored = !/bulk-delete$|assign|test-reachability$/.test(path);
    return body instanceof z.ZodType && !present.has(body) && isStored;
  });
  expect(unknown.map(({ name }) => name)).toEqual([]);
});

import { getTableName } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { apiKeyInput } from "../../src/api-keys/input.ts";
import { credentialInput } from "../../src/credentials/input.ts";
import { daemonInput, provisionInput } from "../../src/daemons/input.ts";
import * as tables from "../../src/database/tables/index.ts";
import { bindingInput, serviceBindingInput } from "../../src/inventory/bindings/input.ts";
import { hostInput } from "../../src/inventory/hosts/input.ts";
import { hostAddressInput, ipAddressInput } from "../../src/inventory/ip-addresses/input.ts";
import { hostPortInput, portInput } from "../../src/inventory/ports/input.ts";
import { hostServiceInput, serviceInput } from "../../src/inventory/services/input.ts";
import { subnetInput } from "../../src/inventory/subnets/input.ts";
import { networkInput } from "../../src/networks/input.ts";
import { renameSchema } from "../../src/organizations/input.ts";
import { tagInput } from "../../src/tags/input.ts";
import { sql } from "../helpers/database.ts";
import { routes } from "../helpers/routes.ts";

/** Every input that is written to a table, by the table: those of routes, and those inside others. */
const inputs: [table: Parameters<typeof getTableName>[0], inputs: z.ZodType[]][] = [
  [tables.organizations, [z.strictObject({ name: renameSchema })]],
  [tables.userApiKeys, [apiKeyInput]],
  [tables.networks, [networkInput]],
  [tables.tags, [tagInput]],
  [tables.credentials, [credentialInput]],
  [tables.daemons, [daemonInput, provisionInput]],
  [tables.subnets, [subnetInput]],
  [tables.hosts, [hostInput]],
  [tables.ipAddresses, [ipAddressInput, hostAddressInput]],
  [tables.ports, [portInput, hostPortInput]],
  [tables.services, [serviceInput, hostServiceInput]],
  [tables.bindings, [bindingInput, serviceBindingInput]],
];

/** Bounded columns that no request writes, as the poller and the database do, or that it nests deeper. */
const notSent = [
  "daemon_secrets.sealed",
  "daemons.schedule_cron",
  "daemons.schedule_timezone",
  "daemons.version",
  "idempotency_keys.key",
  "idempotency_keys.operation",
];

/** The most characters of every text that a check bounds, by table and column. */
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

/** The fields of an input by name; the variants of a union add up. */
const fieldsOf = (schema: z.ZodType): [string, z.ZodType][] => {
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape);
  }
  return schema instanceof z.ZodUnion
    ? schema.options.flatMap((option) => (option instanceof z.ZodType ? fieldsOf(option) : []))
    : [];
};

/** A text of so many characters that also fits a field for URLs. */
const textOf = (field: string, length: number) =>
  (field === "url" ? "https://example.com/" : "").padEnd(length, "a");

const takes = (field: string, schema: z.ZodType, length: number) =>
  schema.safeParse(textOf(field, length)).success;

/** Fields whose value is dropped take any text, and are written nowhere. */
const isWritten = (field: string, schema: z.ZodType) =>
  schema.safeParse(textOf(field, 100)).data !== undefined;

describe.each(inputs.map(([table, schemas]) => ({ table: getTableName(table), schemas })))(
  "the texts of $table",
  ({ table, schemas }) => {
    test("are as long in requests as the database takes them, and no longer", async () => {
      const bounds = await storedBounds();
      const wrong = schemas.flatMap((schema) =>
        fieldsOf(schema).flatMap(([field, value]) => {
          if (!takes(field, value, 100) || !isWritten(field, value)) {
            return [];
          }
          const bound = bounds.get(`${table}.${field}`) ?? 0;
          const isRight = takes(field, value, bound) && !takes(field, value, bound + 1);
          return isRight ? [] : [{ field, bound }];
        }),
      );
      expect(wrong).toEqual([]);
    });

    test("are all sent by some request", async () => {
      const bounds = await storedBounds();
      const sent = new Set(schemas.flatMap((schema) => fieldsOf(schema).map(([field]) => field)));
      const stored = [...bounds.keys()].filter((name) => name.startsWith(`${table}.`));
      expect(
        stored.filter((name) => !sent.has(name.slice(table.length + 1)) && !notSent.includes(name)),
      ).toEqual([]);
    });
  },
);

test("every bounded column is of a table above, or written by no request", async () => {
  const known = new Set(inputs.map(([table]) => getTableName(table)));
  const others = [...(await storedBounds()).keys()].filter(
    (name) => !known.has(name.split(".")[0] ?? ""),
  );
  expect(others.filter((name) => !notSent.includes(name))).toEqual([]);
});

test("every body that creates or replaces a record is among the inputs above", () => {
  const known = new Set(inputs.flatMap(([, schemas]) => schemas).concat(renameSchema));
  const bodies = routes.filter(
    ({ method, path }) => /^\/api\/v1\/[^:]*(\/:id)?$/.test(path) && method !== "GET",
  );
  const unknown = bodies.filter(({ json, path }) => {
    const body = json instanceof z.ZodArray ? json.element : json;
    return (
      body instanceof z.ZodType &&
      !known.has(body) &&
      // Ids, and the credential that is checked for masks, which has the fields of the other.
      !/bulk-delete$|assign|^\/api\/v1\/credentials/.test(path)
    );
  });
  expect(unknown.map(({ name }) => name)).toEqual([]);
});

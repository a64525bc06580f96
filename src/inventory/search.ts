import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import * as z from "zod";
import { hasIdOf, type Instant, versionsAs } from "../database/history.ts";
import { id } from "../http/input/id.ts";
import { cidr, ipAddress, macAddress } from "../http/input/network.ts";
import { once } from "../http/input/once.ts";

/** The tables whose records are found by a part of their texts. */
type Searchable = "hosts" | "ip_addresses" | "services" | "subnets";

/** A select of the ids of versions, of which indexes serve each part alone: an OR would defeat them. */
export const isAnyOf = (table: PgTable, selects: readonly SQL[]): SQL =>
  sql`${table}.id in (${sql.join([...selects], sql` union all `)})`;

/**
 * The versions that contain a text, in any case. A function such as `app.search_hosts` reads an index, as
 * row level security lets no caller's `like` use one: that of trigrams, or that of pairs for a text that
 * has no three letters or digits in a row, or signs that trigrams leave out.
 */
export const containing = (table: Searchable, text: string, at: Instant | undefined): SQL =>
  sql`select app.${sql.identifier(`search_${table}`)}(${text}, ${at ?? null}::timestamptz)`;

/** The version of the record that has this id, where the text is one. */
export const withId = (table: PgTable, text: string, at: Instant | undefined): SQL[] => {
  const { data, success } = id.safeParse(text);
  return success ? [sql`select ${table}.id from ${table} where ${hasIdOf(table, [data], at)}`] : [];
};

/** The versions of a table for which a condition holds. */
export const matching = (table: PgTable, condition: SQL, at: Instant | undefined): SQL =>
  sql`select ${table}.id from ${table} where ${condition} and ${versionsAs(table, at)}`;

/**
 * The condition that an address lies in a block. Its first and last one bound it, as row level security
 * uses an index only for operators that cannot leak, which comparisons are and `<<=` is not.
 */
export const isWithin = (address: SQLWrapper, block: string): SQL =>
  sql`${address} between network(${block}::inet)
    and set_masklen(broadcast(${block}::inet), case family(${block}::inet) when 4 then 32 else 128 end)`;

/** The condition that a block holds an address: it is one of as many as the address has bits. */
export const holds = (block: SQLWrapper, address: string): SQL =>
  sql`${block} = any (app.blocks_of(${address}::inet))`;

/**
 * The conditions that an address is what a person typed: an address or a block in any spelling, or a
 * MAC address. None where the text is nothing of these.
 */
export function isTypedAddress(
  text: string,
  { address, mac_address }: { address: SQLWrapper; mac_address: SQLWrapper },
): SQL[] {
  const conditions: SQL[] = [];
  if (ipAddress.safeParse(text).success) {
    conditions.push(sql`${address} = ${text}::inet`);
  }
  if (cidr.safeParse(text).success) {
    conditions.push(isWithin(address, text));
  }
  const mac = macAddress.safeParse(text);
  if (mac.success) {
    conditions.push(sql`${mac_address} = ${mac.data}::macaddr`);
  }
  return conditions;
}

/** A port as a filter names it: `443`, or `161/Udp`. A null protocol is either. */
export const portText = z
  .string(once("must be a port such as 443 or 161/Udp"))
  .regex(/^[1-9]\d{0,4}(\/(Tcp|Udp))?$/, { error: "must be a port such as 443 or 161/Udp" })
  .transform((text) => {
    const [number, protocol = null] = text.split("/");
    return { number: Number(number), protocol };
  })
  .refine(({ number }) => number <= 65_535, { error: "must be a port from 1 to 65535" })
  .meta({ input: { maxLength: 9 } });

import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import * as z from "zod";
import { instantOf, type Versions } from "../database/history.ts";
import { transportProtocols } from "../database/tables/index.ts";
import { id } from "../http/input/id.ts";
import { cidr, ipAddress } from "../http/input/network.ts";
import { once } from "../http/input/once.ts";
import { addressSpans, macSpan } from "./typed-prefix.ts";

/**
 * True for versions with an id from one of these selects. UNION ALL lets each select use its own
 * index, which an OR would prevent.
 */
export const isAnyOf = (table: PgTable, selects: readonly SQL[]): SQL =>
  sql`${table}.id in (${sql.join([...selects], sql` union all `)})`;

/** The first address of a block, with the block's mask, and the last address, with a full mask. */
const spanOfBlock = (block: string) => ({
  first: sql`network(${block}::inet)`,
  last: sql`set_masklen(broadcast(${block}::inet), case family(${block}::inet) when 4 then 32 else 128 end)`,
});

/**
 * True if an address is in a block. Compares it with the first and last address, since row-level
 * security uses an index only for operators that cannot leak: comparisons qualify, but `<<=` does
 * not.
 */
export const isWithin = (address: SQLWrapper, block: string): SQL => {
  const { first, last } = spanOfBlock(block);
  return sql`${address} between ${first} and ${last}`;
};

/**
 * True if a block is inside another one and not equal to it. Blocks are ordered by their first
 * addresses, then by their prefix lengths.
 */
export const isInside = (block: SQLWrapper, outer: string): SQL => {
  const { first, last } = spanOfBlock(outer);
  return sql`${block} > ${first} and ${block} <= ${last}::cidr`;
};

/**
 * True if a block contains an address or another block, that is, if it is one of the blocks around
 * its first address, one for each prefix length up to its own.
 */
export const holds = (block: SQLWrapper, inner: string): SQL =>
  sql`${block} = any (app.blocks_of(${inner}::inet))`;

const isAddress = (text: string) => ipAddress.safeParse(text).success;
const isBlock = (text: string) => cidr.safeParse(text).success;

/**
 * Returns the address arguments of a search function: the first and last addresses of the spans
 * that the text may denote, and the first and last MAC address.
 */
function typedAddresses(text: string): SQL {
  const spans: { first: SQL | string; last: SQL | string }[] = addressSpans(text);
  if (isAddress(text)) {
    spans.push({ first: text, last: text });
  }
  if (isBlock(text)) {
    spans.push(spanOfBlock(text));
  }
  const array = (ends: readonly (SQL | string)[]) =>
    sql`array[${sql.join(
      ends.map((end) => sql`${end}`),
      sql`, `,
    )}]::inet[]`;
  const mac = macSpan(text);
  return sql`${array(spans.map(({ first }) => first))}, ${array(spans.map(({ last }) => last))},
    ${mac?.first ?? null}::macaddr, ${mac?.last ?? null}::macaddr`;
}

/** Returns SQL for the id in a text; null if the text is not an id. */
const typedId = (text: string): SQL => sql`${id.safeParse(text).data ?? null}::uuid`;

/**
 * Returns SQL that searches hosts with `app.search_hosts` (API contract, section 9). A function is
 * needed because row-level security prevents a caller's `like` from using an index.
 */
export const foundHosts = (text: string, versions: Versions): SQL => {
  const port = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : null;
  return sql`app.search_hosts(${text}, ${instantOf(versions)}, ${typedId(text)}, ${port}::integer,
    ${typedAddresses(text)})`;
};

/** Returns SQL that searches addresses with `app.search_ip_addresses`. */
export const foundIpAddresses = (text: string, versions: Versions): SQL =>
  sql`app.search_ip_addresses(${text}, ${instantOf(versions)}, ${typedId(text)}, ${typedAddresses(text)})`;

/** Returns SQL that searches services with `app.search_services`. */
export const foundServices = (text: string, versions: Versions): SQL =>
  sql`app.search_services(${text}, ${instantOf(versions)}, ${typedId(text)})`;

/** Returns SQL that searches subnets with `app.search_subnets`. */
export const foundSubnets = (text: string, versions: Versions): SQL =>
  sql`app.search_subnets(${text}, ${instantOf(versions)}, ${typedId(text)}, ${
    isAddress(text)
      ? sql`app.blocks_of(${text}::inet)`
      : isBlock(text)
        ? sql`array[network(${text}::inet)]`
        : sql`null::cidr[]`
  })`;

/** The schema of a port in a filter: `443`, or `161/Udp`. A null protocol matches both. */
export const portText = z
  .string(once("must be a port such as 443 or 161/Udp"))
  .regex(/^[1-9]\d{0,4}(\/(Tcp|Udp))?$/, { error: "must be a port such as 443 or 161/Udp" })
  .transform((text) => {
    const [number, protocol = null] = text.split("/");
    return { number: Number(number), protocol };
  })
  .refine(({ number }) => number <= 65_535, { error: "must be a port from 1 to 65535" })
  .meta({ input: { maxLength: 9 } });

/** The port that a search text denotes: `443`, or `443/tcp` in either case. Null if it is no port. */
export function typedPort(text: string): z.output<typeof portText> | null {
  const [number = "", ...rest] = text.split("/");
  const protocol = rest.map((sent) =>
    transportProtocols.find((one) => one.toLowerCase() === sent.toLowerCase()),
  );
  return portText.safeParse([number, ...protocol].join("/")).data ?? null;
}

/** True for a port, as `port`, with this number, and this protocol if it is not null. */
export const isPort = ({ number, protocol }: z.output<typeof portText>): SQL =>
  sql`port.number = ${number}${protocol === null ? sql`` : sql` and port.protocol = ${protocol}`}`;

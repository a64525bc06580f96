import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { cidr, ipAddress, macAddress } from "../http/input/network.ts";

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

import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { cidr, ipAddress, macAddress } from "../http/input/network.ts";

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
    conditions.push(sql`${address} <<= ${text}::inet`);
  }
  const mac = macAddress.safeParse(text);
  if (mac.success) {
    conditions.push(sql`${mac_address} = ${mac.data}::macaddr`);
  }
  return conditions;
}

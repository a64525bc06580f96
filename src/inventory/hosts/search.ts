import { type SQL, sql } from "drizzle-orm";
import { versionsAs } from "../../database/history.ts";
import { hosts } from "../../database/tables/index.ts";
import { contains } from "../../http/list/search.ts";
import { isTypedAddress } from "../address-search.ts";

/** The condition that a host has an address for which another one holds, of `own`. */
export const hasAddress = (condition: SQL, at: string | undefined): SQL => sql`exists (
  select from ip_addresses as own
  where own.host_id = ${hosts.live_id} and ${versionsAs("own", at)} and ${condition})`;

/**
 * What a person types to find a host: an address, a block, a MAC in any spelling, a port number, an
 * id, or a part of a name or hostname (API contract, section 9).
 */
export function search(text: string, at: string | undefined): SQL {
  const conditions = [contains(text, hosts.live_id, [hosts.name, hosts.hostname])];
  const own = { address: sql`own.address`, mac_address: sql`own.mac_address` };
  conditions.push(...isTypedAddress(text, own).map((condition) => hasAddress(condition, at)));
  if (/^[1-9]\d{0,4}$/.test(text)) {
    conditions.push(sql`exists (
      select from ports as own where own.host_id = ${hosts.live_id} and ${versionsAs("own", at)}
        and own.number = ${text}::int)`);
  }
  return sql`(${sql.join(conditions, sql` or `)})`;
}

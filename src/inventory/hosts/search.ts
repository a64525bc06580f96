import { type SQL, sql } from "drizzle-orm";
import { type Versions, versionsAs } from "../../database/history.ts";
import { hosts } from "../../database/tables/index.ts";
import { isOpen } from "../is-open.ts";
import { isAnyOf } from "../search.ts";

/**
 * A select of the hosts that have a part for which a condition holds.
 * @param condition of `own`, the part
 */
const hostsWith = (parts: "ip_addresses" | "ports", condition: SQL, versions: Versions): SQL =>
  versions.kind === "live"
    ? sql`select own.host_id from ${sql.identifier(parts)} as own
        where ${versionsAs("own", versions)} and ${condition}`
    : sql`select host.id from ${sql.identifier(parts)} as own
        join ${hosts} as host on host.live_id = own.host_id and ${versionsAs("host", versions)}
        where ${versionsAs("own", versions)} and ${condition}`;

/** The condition that a host has an address for which another one holds, of `own`. */
export const hasAddress = (condition: SQL, versions: Versions): SQL =>
  isAnyOf(hosts, [hostsWith("ip_addresses", condition, versions)]);

/** The condition that a port with a number is open on a host, of a protocol or of either. */
export const hasPort = (
  { number, protocol }: { number: number; protocol: string | null },
  versions: Versions,
): SQL =>
  isAnyOf(hosts, [
    hostsWith(
      "ports",
      sql`own.number = ${number}${protocol === null ? sql`` : sql` and own.protocol = ${protocol}`}
        and ${isOpen("port_id", sql`own.live_id`, versions)}`,
      versions,
    ),
  ]);

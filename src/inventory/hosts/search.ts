import { type SQL, sql } from "drizzle-orm";
import { type Versions, versionsAs } from "../../database/history.ts";
import { hosts } from "../../database/tables/index.ts";
import { isOpen } from "../is-open.ts";
import { isAnyOf } from "../search.ts";

/**
 * Selects the hosts with a part that meets a condition.
 * @param condition the condition on the part, as `own`
 */
const hostsWith = (parts: "ip_addresses" | "ports", condition: SQL, versions: Versions): SQL =>
  versions.kind === "live"
    ? sql`select own.host_id from ${sql.identifier(parts)} as own
        where ${versionsAs("own", versions)} and ${condition}`
    : sql`select host.id from ${sql.identifier(parts)} as own
        join ${hosts} as host on host.live_id = own.host_id and ${versionsAs("host", versions)}
        where ${versionsAs("own", versions)} and ${condition}`;

/** True for hosts with an address that meets a condition on `own`. */
export const hasAddress = (condition: SQL, versions: Versions): SQL =>
  isAnyOf(hosts, [hostsWith("ip_addresses", condition, versions)]);

/** True for hosts on which the port with this number is open, for one protocol or for either. */
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

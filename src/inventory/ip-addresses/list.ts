import { eq, type SQL, sql } from "drizzle-orm";
import { hasIdOf, type Instant, partsOf, versionsAs } from "../../database/history.ts";
import { ipAddresses } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { cidr, ipAddress, macAddress } from "../../http/input/network.ts";
import { filter, ids, searchFilter } from "../../http/list/filter.ts";
import { list } from "../../http/list/list.ts";
import { isTypedAddress, isWithin } from "../address-search.ts";
import { containing, isAnyOf, matching, withId } from "../search.ts";
import { ipAddressResource } from "./model.ts";

const found = (condition: SQL, at: Instant | undefined): SQL =>
  sql`${condition} and ${versionsAs(ipAddresses, at)}`;

/** GET /api/v1/ip-addresses: the addresses of hosts, live or as of an instant. */
export const listIPAddresses = list(ipAddressResource, {
  network_id: filter(id, (network) => eq(ipAddresses.network_id, network)),
  ids: filter(ids, (wanted, at) => hasIdOf(ipAddresses, wanted, at)),
  host_id: filter(id, (host, at) => partsOf(ipAddresses, "host_id", sql`${host}`, at), {
    findsFirst: true,
  }),
  subnet_id: filter(id, (subnet, at) => found(eq(ipAddresses.subnet_id, subnet), at)),
  ip: filter(ipAddress, (address, at) => found(sql`${ipAddresses.address} = ${address}::inet`, at)),
  cidr: filter(cidr, (block, at) => found(isWithin(ipAddresses.address, block), at)),
  mac: filter(macAddress, (mac, at) =>
    found(sql`${ipAddresses.mac_address} = ${mac}::macaddr`, at),
  ),
  q: searchFilter((text, at) =>
    isAnyOf(ipAddresses, [
      containing("ip_addresses", text, at),
      ...withId(ipAddresses, text, at),
      ...isTypedAddress(text, ipAddresses).map((condition) => matching(ipAddresses, condition, at)),
    ]),
  ),
});

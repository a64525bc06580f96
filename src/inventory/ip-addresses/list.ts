import { eq, inArray, sql } from "drizzle-orm";
import { ipAddresses } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { cidr, ipAddress, macAddress } from "../../http/input/network.ts";
import { searchText } from "../../http/input/text.ts";
import { filter, ids } from "../../http/list/filter.ts";
import { list } from "../../http/list/list.ts";
import { contains } from "../../http/list/search.ts";
import { isTypedAddress } from "../address-search.ts";
import { ipAddressResource } from "./model.ts";

/** GET /api/v1/ip-addresses: the addresses of hosts, live or as of an instant. */
export const listIPAddresses = list(ipAddressResource, {
  network_id: filter(id, (network) => eq(ipAddresses.network_id, network)),
  ids: filter(ids, (wanted) => inArray(ipAddresses.live_id, wanted)),
  host_id: filter(id, (host) => eq(ipAddresses.host_id, host)),
  subnet_id: filter(id, (subnet) => eq(ipAddresses.subnet_id, subnet)),
  ip: filter(ipAddress, (address) => sql`${ipAddresses.address} = ${address}::inet`),
  cidr: filter(cidr, (block) => sql`${ipAddresses.address} <<= ${block}::inet`),
  mac: filter(macAddress, (mac) => sql`${ipAddresses.mac_address} = ${mac}::macaddr`),
  q: filter(
    searchText,
    (text) =>
      sql`(${sql.join(
        [
          contains(text, ipAddresses.live_id, [
            sql`host(${ipAddresses.address})`,
            sql`${ipAddresses.mac_address}::text`,
            ipAddresses.name,
          ]),
          ...isTypedAddress(text, ipAddresses),
        ],
        sql` or `,
      )})`,
  ),
});

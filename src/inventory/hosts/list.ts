import { eq, sql } from "drizzle-orm";
import { hasIdOf, isVersionOf } from "../../database/history.ts";
import { ownersOf } from "../../database/sets.ts";
import { hosts } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { cidr, ipAddress, macAddress } from "../../http/input/network.ts";
import { searchText } from "../../http/input/text.ts";
import { filter, ids, searchFilter } from "../../http/list/filter.ts";
import { list } from "../../http/list/list.ts";
import { isWithin } from "../address-search.ts";
import { portText } from "../port-text.ts";
import { hostTags } from "../tag-sets.ts";
import { hostResource } from "./model.ts";
import { hasAddress, hasPort, search } from "./search.ts";

/** GET /api/v1/hosts: the hosts of networks with what they carry, live or as of an instant. */
export const listHosts = list(hostResource, {
  network_id: filter(id, (network) => eq(hosts.network_id, network)),
  ids: filter(ids, (wanted, at) => hasIdOf(hosts, wanted, at)),
  tag_ids: filter(ids, (wanted, at) =>
    isVersionOf(hosts, sql`in (${ownersOf(hostTags, wanted, at)})`, at),
  ),
  ip: filter(ipAddress, (address, at) => hasAddress(sql`own.address = ${address}::inet`, at)),
  cidr: filter(cidr, (block, at) => hasAddress(isWithin(sql`own.address`, block), at)),
  mac: filter(macAddress, (mac, at) => hasAddress(sql`own.mac_address = ${mac}::macaddr`, at)),
  port: filter(portText, hasPort),
  service: filter(searchText, (text, at) =>
    isVersionOf(
      hosts,
      sql`in (select found.host_id from app.hosts_with_service(${text}, ${at ?? null}::timestamptz) as found (host_id))`,
      at,
    ),
  ),
  q: searchFilter(search),
});

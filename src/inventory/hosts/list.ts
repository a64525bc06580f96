import { eq, inArray, sql } from "drizzle-orm";
import { versionsAs } from "../../database/history.ts";
import { hosts } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { cidr, ipAddress, macAddress } from "../../http/input/network.ts";
import { searchText } from "../../http/input/text.ts";
import { filter, ids } from "../../http/list/filter.ts";
import { list } from "../../http/list/list.ts";
import { portText } from "../port-text.ts";
import { hostResource } from "./model.ts";
import { hasAddress, search } from "./search.ts";

/** GET /api/v1/hosts: the hosts of networks with what they carry, live or as of an instant. */
export const listHosts = list(hostResource, {
  network_id: filter(id, (network) => eq(hosts.network_id, network)),
  ids: filter(ids, (wanted) => inArray(hosts.live_id, wanted)),
  tag_ids: filter(
    ids,
    (wanted) => sql`exists (
      select from host_tags as tagged where tagged.host_id = ${hosts.live_id}
        and tagged.tag_id = any (${sql.param(wanted)}::uuid[]))`,
  ),
  ip: filter(ipAddress, (address, at) => hasAddress(sql`own.address = ${address}::inet`, at)),
  cidr: filter(cidr, (block, at) => hasAddress(sql`own.address <<= ${block}::inet`, at)),
  mac: filter(macAddress, (mac, at) => hasAddress(sql`own.mac_address = ${mac}::macaddr`, at)),
  port: filter(
    portText,
    ({ number, protocol }, at) => sql`exists (
      select from ports as own where own.host_id = ${hosts.live_id} and ${versionsAs("own", at)}
        and own.number = ${number} and (${protocol}::text is null or own.protocol = ${protocol}))`,
  ),
  service: filter(
    searchText,
    (text, at) => sql`exists (
      select from services as own where own.host_id = ${hosts.live_id} and ${versionsAs("own", at)}
        and (lower(own.name) = lower(${text}) or lower(own.service_definition) = lower(${text})))`,
  ),
  q: filter(searchText, search),
});

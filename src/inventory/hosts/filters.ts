import { eq, sql } from "drizzle-orm";
import { instantOf, isVersionOf } from "../../database/history.ts";
import { ownersOf } from "../../database/sets.ts";
import { hosts } from "../../database/tables/index.ts";
import { booleanText } from "../../http/input/boolean-text.ts";
import { id } from "../../http/input/id.ts";
import { searchText } from "../../http/input/text.ts";
import { columnFilter, filter, ids } from "../../http/list/filter.ts";
import { portText } from "../search.ts";
import { hostTags } from "../writes/tag-sets.ts";
import { hasPort } from "./search.ts";

/** The filters shared by the list of hosts and the exports. */
export const hostFilters = {
  network_id: columnFilter(id, (network) => eq(hosts.network_id, network)),
  tag_ids: filter(ids, (values, versions) =>
    isVersionOf(hosts, sql`in (${ownersOf(hostTags, values, versions)})`, versions),
  ),
  service: filter(searchText, (text, versions) =>
    isVersionOf(
      hosts,
      sql`in (select found.host_id from app.hosts_with_service(${text}, ${instantOf(versions)}) as found (host_id))`,
      versions,
    ),
  ),
  port: filter(portText, hasPort),
  stale: filter(booleanText, (stale) => eq(hosts.is_stale, stale)),
};

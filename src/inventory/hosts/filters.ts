import { eq, sql } from "drizzle-orm";
import { isVersionOf } from "../../database/history.ts";
import { ownersOf } from "../../database/sets.ts";
import { hosts } from "../../database/tables/index.ts";
import { choice } from "../../http/input/choice.ts";
import { id } from "../../http/input/id.ts";
import { searchText } from "../../http/input/text.ts";
import { filter, ids } from "../../http/list/filter.ts";
import { portText } from "../search.ts";
import { hostTags } from "../writes/tag-sets.ts";
import { hasPort } from "./search.ts";

/** The filters of hosts that their list and exports share. */
export const hostFilters = {
  network_id: filter(id, (network) => eq(hosts.network_id, network)),
  tag_ids: filter(ids, (wanted, at) =>
    isVersionOf(hosts, sql`in (${ownersOf(hostTags, wanted, at)})`, at),
  ),
  service: filter(searchText, (text, at) =>
    isVersionOf(
      hosts,
      sql`in (select found.host_id from app.hosts_with_service(${text}, ${at ?? null}::timestamptz) as found (host_id))`,
      at,
    ),
  ),
  port: filter(portText, hasPort),
  stale: filter(choice(["true", "false"]), (stale) => eq(hosts.is_stale, stale === "true")),
};

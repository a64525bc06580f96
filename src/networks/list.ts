import { inArray, sql } from "drizzle-orm";
import { networks } from "../database/tables/index.ts";
import { filter, ids, searchFilter } from "../http/list/filter.ts";
import { list } from "../http/list/list.ts";
import { contains } from "../http/list/search.ts";
import { networkResource } from "./model.ts";

/** GET /api/v1/networks: the networks that the key reaches. */
export const listNetworks = list(networkResource, {
  ids: filter(ids, (wanted) => inArray(networks.id, wanted)),
  tag_ids: filter(
    ids,
    (wanted) => sql`exists (
      select from network_tags as tagged
      where tagged.network_id = ${networks.id} and tagged.tag_id = any (${sql.param(wanted)}::uuid[]))`,
  ),
  q: searchFilter((text) => contains(text, networks.id, [networks.name, networks.description])),
});

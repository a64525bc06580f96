import { eq, inArray, sql } from "drizzle-orm";
import { subnets } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { ipAddress } from "../../http/input/network.ts";
import { searchText } from "../../http/input/text.ts";
import { filter, ids } from "../../http/list/filter.ts";
import { list } from "../../http/list/list.ts";
import { contains } from "../../http/list/search.ts";
import { subnetResource } from "./model.ts";

/** GET /api/v1/subnets: the subnets of networks, live or as of an instant. */
export const listSubnets = list(subnetResource, {
  network_id: filter(id, (network) => eq(subnets.network_id, network)),
  ids: filter(ids, (wanted) => inArray(subnets.live_id, wanted)),
  tag_ids: filter(
    ids,
    (wanted) => sql`exists (
      select from subnet_tags as tagged where tagged.subnet_id = ${subnets.live_id}
        and tagged.tag_id = any (${sql.param(wanted)}::uuid[]))`,
  ),
  contains: filter(ipAddress, (address) => sql`${subnets.cidr} >>= ${address}::inet`),
  q: filter(searchText, (text) =>
    contains(text, subnets.live_id, [
      subnets.name,
      subnets.description,
      sql`${subnets.cidr}::text`,
    ]),
  ),
});

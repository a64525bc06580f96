import { eq, sql } from "drizzle-orm";
import { hasIdOf, isVersionOf, versionsAs } from "../../database/history.ts";
import { ownersOf } from "../../database/sets.ts";
import { subnets } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { cidr, ipAddress } from "../../http/input/network.ts";
import { filter, ids, searchFilter } from "../../http/list/filter.ts";
import { list } from "../../http/list/list.ts";
import { holds } from "../address-search.ts";
import { containing, isAnyOf, matching, withId } from "../search.ts";
import { subnetTags } from "../tag-sets.ts";
import { subnetResource } from "./model.ts";

/** GET /api/v1/subnets: the subnets of networks, live or as of an instant. */
export const listSubnets = list(subnetResource, {
  network_id: filter(id, (network) => eq(subnets.network_id, network)),
  ids: filter(ids, (wanted, at) => hasIdOf(subnets, wanted, at)),
  tag_ids: filter(ids, (wanted, at) =>
    isVersionOf(subnets, sql`in (${ownersOf(subnetTags, wanted, at)})`, at),
  ),
  contains: filter(
    ipAddress,
    (address, at) => sql`${holds(subnets.cidr, address)} and ${versionsAs(subnets, at)}`,
  ),
  q: searchFilter((text, at) =>
    isAnyOf(subnets, [
      containing("subnets", text, at),
      ...withId(subnets, text, at),
      ...(ipAddress.safeParse(text).success
        ? [matching(subnets, holds(subnets.cidr, text), at)]
        : []),
      ...(cidr.safeParse(text).success
        ? [matching(subnets, sql`${subnets.cidr} = network(${text}::inet)`, at)]
        : []),
    ]),
  ),
});

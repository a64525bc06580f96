import { eq, inArray, sql } from "drizzle-orm";
import { daemons } from "../database/tables/index.ts";
import { choice } from "../http/input/choice.ts";
import { id } from "../http/input/id.ts";
import { filter, ids, searchFilter } from "../http/list/filter.ts";
import { list } from "../http/list/list.ts";
import { contains } from "../http/list/search.ts";
import { daemonResource } from "./model.ts";

const isTrue = choice(["true", "false"]).transform((value) => value === "true");

/** GET /api/v1/daemons: lists the daemons on the key's networks (API contract, section 5). */
export const listDaemons = list(daemonResource, {
  network_id: filter(id, (network) => eq(daemons.network_id, network)),
  ids: filter(ids, (wanted) => inArray(daemons.id, wanted)),
  tag_ids: filter(
    ids,
    (wanted) => sql`exists (
      select from daemon_tags as tagged
      where tagged.daemon_id = ${daemons.id} and tagged.tag_id = any (${sql.param(wanted)}::uuid[]))`,
  ),
  is_unreachable: filter(isTrue, (value) => eq(daemons.is_unreachable, value)),
  q: searchFilter((text) => contains(text, daemons.id, [daemons.name, daemons.url])),
});

import { eq, inArray, sql } from "drizzle-orm";
import { daemons } from "../database/tables/index.ts";
import { choice } from "../http/input/choice.ts";
import { id } from "../http/input/id.ts";
import { searchText } from "../http/input/text.ts";
import { filter, ids } from "../http/list/filter.ts";
import { list } from "../http/list/list.ts";
import { daemonResource } from "./model.ts";

const isTrue = choice(["true", "false"]).transform((value) => value === "true");

/** GET /api/v1/daemons: lists the daemons on the key's networks (API contract, section 5). */
export const listDaemons = list(daemonResource, {
  network_id: filter(id, (network) => eq(daemons.network_id, network)),
  ids: filter(ids, (wanted) => inArray(daemons.id, wanted)),
  is_unreachable: filter(isTrue, (value) => eq(daemons.is_unreachable, value)),
  q: filter(
    searchText,
    (text) => sql`(strpos(lower(${daemons.name}), lower(${text})) > 0
      or strpos(lower(${daemons.url}), lower(${text})) > 0
      or ${daemons.id}::text = lower(${text}))`,
  ),
});

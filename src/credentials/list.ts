import { inArray, sql } from "drizzle-orm";
import { credentials } from "../database/tables/index.ts";
import { choice } from "../http/input/choice.ts";
import { filter, ids, searchFilter } from "../http/list/filter.ts";
import { list } from "../http/list/list.ts";
import { contains } from "../http/list/search.ts";
import { credentialResource } from "./model.ts";
import { credentialTypeFilters, typesOfFilter } from "./types.ts";

/**
 * GET /api/v1/credentials: lists the organization's credentials (API contract, section 3). A key
 * limited to networks sees them all, but of their assignments only those that it reaches.
 */
export const listCredentials = list(credentialResource, {
  type: filter(
    choice(credentialTypeFilters),
    (type) => sql`${credentials.type} = any(${sql.param(typesOfFilter(type))}::text[])`,
  ),
  ids: filter(ids, (wanted) => inArray(credentials.id, wanted)),
  q: searchFilter((text) => contains(text, credentials.id, [credentials.name])),
});

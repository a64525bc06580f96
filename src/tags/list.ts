import { inArray } from "drizzle-orm";
import { tags } from "../database/tables/index.ts";
import { filter, ids, searchFilter } from "../http/list/filter.ts";
import { list } from "../http/list/list.ts";
import { contains } from "../http/list/search.ts";
import { tagResource } from "./model.ts";

/** GET /api/v1/tags: the organization's tags. */
export const listTags = list(tagResource, {
  ids: filter(ids, (wanted) => inArray(tags.id, wanted)),
  q: searchFilter((text) => contains(text, tags.id, [tags.name, tags.description])),
});

import { eq, inArray } from "drizzle-orm";
import { userApiKeys } from "../database/tables/index.ts";
import { choice } from "../http/input/choice.ts";
import { filter, ids, searchFilter } from "../http/list/filter.ts";
import { list } from "../http/list/list.ts";
import { contains } from "../http/list/search.ts";
import { apiKeyResource } from "./model.ts";

/** GET /api/v1/auth/keys: the organization's API keys. */
export const listApiKeys = list(apiKeyResource, {
  ids: filter(ids, (wanted) => inArray(userApiKeys.id, wanted)),
  is_enabled: filter(
    choice(["true", "false"]).transform((value) => value === "true"),
    (value) => eq(userApiKeys.is_enabled, value),
  ),
  q: searchFilter((text) => contains(text, userApiKeys.id, [userApiKeys.name])),
});

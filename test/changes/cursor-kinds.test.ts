import { expect, test } from "vitest";
import * as z from "zod";
import { invalidAt, seen, succeeded } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { pathOf } from "../helpers/operations.ts";
import { mintPopulatedOrganization } from "../helpers/populated-organization.ts";
import { routes } from "../helpers/routes.ts";

/** The lists that can be read only with a cursor, not with an offset. */
const lists = routes.filter(({ steps }) => steps.some(({ hasCursor }) => hasCursor));

const page = z.object({ meta: z.object({ next_cursor: z.string() }) });

test("accepts a cursor only for the list that it comes from", async () => {
  const organization = await mintPopulatedOrganization();
  const api = openApi();
  const read = (path: string, query = "") =>
    api.send("GET", `${path}${query}`, { key: organization.keys.owner });
  const paths = [
    ...lists.map((list) => pathOf(list, organization)),
    `/api/v1/hosts/${organization.other_host_id}/timeline`,
  ];
  expect(paths.length).toBeGreaterThan(9);
  for (const origin of paths) {
    const { next_cursor } = page.parse((await read(origin)).body).meta;
    for (const path of paths) {
      const answer = await read(path, `?cursor=${encodeURIComponent(next_cursor)}`);
      expect({ origin, path, ...seen(answer) }).toEqual({
        origin,
        path,
        ...(origin === path ? succeeded() : invalidAt("query.cursor")),
      });
    }
  }
});

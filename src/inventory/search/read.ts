import { sql } from "drizzle-orm";
import * as z from "zod";
import { authenticate } from "../../http/authenticate.ts";
import { handles } from "../../http/declares.ts";
import { ok } from "../../http/envelope.ts";
import { factory } from "../../http/factory.ts";
import { id } from "../../http/input/id.ts";
import { integerText } from "../../http/input/integer.ts";
import { choices } from "../../http/input/repeated.ts";
import { searchTextOf } from "../../http/input/text.ts";
import { validate } from "../../http/validation/validate.ts";
import { type SearchResult, searchedKinds } from "./model.ts";
import { maximumWords, typedWords, wordsOf } from "./words.ts";

const query = z.strictObject({
  q: searchTextOf(200).refine((text) => wordsOf(text).length <= maximumWords, {
    error: `must have at most ${maximumWords} words`,
  }),
  kinds: choices(searchedKinds).optional(),
  network_id: id.optional(),
  limit: integerText(1, 50).default(20),
});

interface Row extends SearchResult, Record<string, unknown> {}

/** GET /api/v1/search: searches all kinds of records, the best first (API contract, section 9). */
export const search = factory.createHandlers(
  authenticate("Viewer"),
  validate({ query }),
  handles({ errors: [], isUnpaged: true }),
  async (c) => {
    const { q, kinds = searchedKinds, network_id, limit } = c.req.valid("query");
    const [{ rows }] = await c.var.tenant.run((database) => [
      database.execute<Row>(sql`
        select * from app.search(${JSON.stringify(typedWords(q))}::jsonb,
          ${sql.param([...kinds])}::text[], ${network_id ?? null}::uuid, ${limit})`),
    ]);
    const found: SearchResult[] = rows;
    return ok(c, found);
  },
);

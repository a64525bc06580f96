import { type SQL, sql } from "drizzle-orm";
import { index, text } from "drizzle-orm/pg-core";
import type { Table, Versioned } from "./history.ts";

/** A column of texts that a record is found by a part of: by Unicode in lower case, a line each. */
export const searchableText = (...lines: SQL[]) =>
  text()
    .notNull()
    .generatedAlwaysAs(sql`lower((${sql.join(lines, sql` || chr(10) || `)}) collate "und-x-icu")`);

/**
 * The indexes of {@link searchableText}. Trigrams are of letters and digits alone, so signs of addresses
 * and hostnames become letters: `10.0.3.7` is then one word instead of four of one or two digits, of which
 * nearly every address has some. The second index serves texts that are too short for the first, or hold
 * other signs: `app.paired` makes words of them. The interval leaves out what is not
 * valid at a timestamp. The organization is an expression, so that `app.search_condition` alone reads these
 * indexes: see drizzle/README.md, "Indexes of GiST".
 */
export const searchableRules = (name: string, table: Versioned & Table<"searchable">) => {
  const organization = sql`coalesce(${table.organization_id}, ${table.id})`;
  const validity = sql`tstzrange(${table.valid_from}, ${table.valid_to})`;
  return [
    index(`${name}_searchable_index`).using(
      "gist",
      organization,
      sql`translate(${table.searchable}, '.:-/', 'qzxj') gist_trgm_ops(siglen=64)`,
      validity,
    ),
    index(`${name}_pairs_index`).using(
      "gist",
      organization,
      sql`app.paired(${table.searchable}) gist_trgm_ops(siglen=64)`,
      validity,
    ),
  ];
};

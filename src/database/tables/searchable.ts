import { type SQL, sql } from "drizzle-orm";
import { index, text } from "drizzle-orm/pg-core";
import type { Table, Versioned } from "./history.ts";

/**
 * A column for substring search. It contains a record's strings in Unicode lower case, one per
 * line.
 */
export const searchableText = (...lines: SQL[]) =>
  text()
    .notNull()
    .generatedAlwaysAs(sql`lower((${sql.join(lines, sql` || chr(10) || `)}) collate "und-x-icu")`);

/**
 * The indexes of {@link searchableText}. Trigrams contain letters and digits only, so the
 * punctuation of addresses and hostnames is translated to letters. `10.0.3.7` is then one word
 * instead of four words of one or two digits, which would occur in nearly every address. The second
 * index serves search terms that are too short for the first index or contain other characters:
 * `app.paired` converts them to words. The interval in both indexes excludes versions that are not
 * valid at a timestamp. The organization is an expression, so that only `app.search_condition` uses
 * these indexes: see drizzle/README.md, "GiST indexes".
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

import { type SQL, sql } from "drizzle-orm";
import { index, type PgColumn, text } from "drizzle-orm/pg-core";
import type { Table, Versioned } from "./history.ts";

/** A column of texts that a record is found by a part of: by Unicode in lower case, a line each. */
export const searchableText = (...lines: SQL[]) =>
  text()
    .notNull()
    .generatedAlwaysAs(sql`lower((${sql.join(lines, sql` || chr(10) || `)}) collate "und-x-icu")`);

/**
 * The signs of ASCII as SQL writes them, and for each a letter that hardly any name has. A semicolon
 * would end an index for drizzle-kit, hence its code.
 */
const signs = String.raw`E' !"#$%&''()*+,-./:\x3b<=>?@[\\]^_\x60{|}~'`;
const runes = "ᚠᚡᚢᚣᚤᚥᚦᚧᚨᚩᚪᚫᚬᚭᚮᚯᚰᚱᚲᚳᚴᚵᚶᚷᚸᚹᚺᚻᚼᚽᚾᚿᛀ";

/**
 * A text with a rune before, between and behind its characters, so that its trigrams tell single
 * characters and pairs: of `web`, `ᛪwᛪ`, `wᛪe`, `ᛪeᛪ`, `eᛪb` and `ᛪbᛪ`.
 */
const paired = (text: PgColumn | SQL): SQL =>
  sql`(regexp_replace(translate(${text}, ${sql.raw(`${signs}, '${runes}'`)}), '.', 'ᛪ\\&', 'g') || 'ᛪ')`;

/**
 * The indexes of {@link searchableText}. Trigrams are of letters and digits alone, so signs of addresses
 * and hostnames become letters: `10.0.3.7` is then one word instead of four of one or two digits, of which
 * nearly every address has some. The second index serves texts that are too short for the first, see
 * {@link paired}. The interval leaves out what is not valid at a timestamp.
 */
export const searchableRules = (name: string, table: Versioned & Table<"searchable">) => {
  const validity = sql`tstzrange(${table.valid_from}, ${table.valid_to})`;
  return [
    index(`${name}_searchable_index`).using(
      "gist",
      table.organization_id,
      sql`translate(${table.searchable}, '.:-/', 'qzxj') gist_trgm_ops(siglen=64)`,
      validity,
    ),
    index(`${name}_pairs_index`).using(
      "gist",
      table.organization_id,
      sql`${paired(table.searchable)} gist_trgm_ops(siglen=64)`,
      validity,
    ),
  ];
};

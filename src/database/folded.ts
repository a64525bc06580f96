import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/**
 * A text without regard to case. By Unicode, as the unique index of tags does it: names are stored in
 * the collation "C", which knows only the letters of ASCII.
 */
export const folded = (text: SQLWrapper | string): SQL => sql`lower(${text} collate "und-x-icu")`;

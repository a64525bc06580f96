import { type SQL, type SQLWrapper, sql } from "drizzle-orm";

/**
 * Folds the case of a string by Unicode rules, as the unique index of tags does. Names are stored
 * in the collation "C", which folds ASCII letters only.
 */
export const folded = (text: SQLWrapper | string): SQL => sql`lower(${text} collate "und-x-icu")`;

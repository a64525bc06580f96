import { PgDialect } from "drizzle-orm/pg-core";

/** Writes all SQL: it learns the names of a table's columns once. */
export const dialect = new PgDialect();

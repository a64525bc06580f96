import { PgDialect } from "drizzle-orm/pg-core";

/** The dialect of all SQL, shared because it caches the names of a table's columns. */
export const dialect = new PgDialect();

import { PgDialect } from "drizzle-orm/pg-core";

/** The dialect of all SQL, shared because it caches each table's column names. */
export const dialect = new PgDialect();

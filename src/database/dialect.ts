import { PgDialect } from "drizzle-orm/pg-core";

/** The dialect for all SQL. It is shared because it caches each table's column names. */
export const dialect = new PgDialect();

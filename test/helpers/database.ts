import { neon } from "@neondatabase/serverless";
import { drizzle } from "drizzle-orm/neon-http";
import { inject } from "vitest";

/** The database as its owner, past row level security: to arrange and to look. */
export const sql = neon(inject("connectionString"));
export const database = drizzle({ client: sql });

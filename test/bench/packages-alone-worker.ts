import { zValidator } from "@hono/zod-validator";
import { neon, neonConfig } from "@neondatabase/serverless";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/neon-http";
import { Hono } from "hono";
import * as z from "zod";

interface Env {
  Bindings: { DATABASE_URL: string; LOCAL_DATABASE_ENDPOINT: string };
}

const encoder = new TextEncoder();
const query = z.strictObject({ limit: z.coerce.number().int().min(0).max(1000) });

/**
 * A list that uses only the service's packages and none of its code: no envelope, cursor, entity
 * tag, limit, request id or error order. The difference between this and a Worker written by hand
 * is the cost of the packages.
 */
const app = new Hono<Env>().get("/api/v1/:list", zValidator("query", query), async (c) => {
  const key = await crypto.subtle.digest("SHA-256", encoder.encode(c.req.header("Authorization")));
  neonConfig.fetchEndpoint = c.env.LOCAL_DATABASE_ENDPOINT;
  const fetchOptions = { signal: AbortSignal.timeout(8000) };
  const database = drizzle(neon(c.env.DATABASE_URL, { fetchOptions }));
  const [, { rows }] = await database.batch([
    database.execute(sql`select app.enter(${new Uint8Array(key)}, 'Viewer', 8000)`),
    database.execute(sql`select * from bindings limit ${c.req.valid("query").limit} offset 0`),
  ]);
  const response = c.json(rows);
  console.log(JSON.stringify({ method: "GET", status: 200, request_id: crypto.randomUUID() }));
  return response;
});

// The Workers runtime requires a default export.
export default app;

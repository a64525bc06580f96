import {
  type FullQueryResults,
  type HTTPQueryOptions,
  type NeonQueryFunction,
  type NeonQueryPromise,
  neon,
  neonConfig,
  types,
} from "@neondatabase/serverless";
import { sql } from "drizzle-orm";
import { NeonHttpDatabase, NeonHttpDriver } from "drizzle-orm/neon-http";
import type { Settings } from "../env.ts";
import { dialect } from "./dialect.ts";
import { rfc3339 } from "./tables/columns.ts";
import { RequestTooLargeError } from "./verdict.ts";

/** The oid of `timestamp with time zone`. */
const timestamptz = 1184;

/** What states queries, and sends them as batches. */
export type Database = NeonHttpDatabase<Record<string, never>>;

/**
 * Part of the first statement of a batch: where the others look for tables. A login may alter settings
 * of its own, and whoever has stolen one may so change where.
 */
export const ownSearchPath = sql`set_config('search_path', 'public, pg_temp', true)`;

/**
 * The largest request that is sent to Neon's endpoint, in bytes. Its public proxy takes 10 MiB
 * (`--sql-over-http-max-request-size-bytes`, `proxy/src/binary/proxy.rs`) and closes the connection on a larger
 * request while it is still sent, which looks like a broken network.
 */
export const maximumRequestBytes = 8 * 1024 * 1024;

/** `fetch`, for requests of at most {@link maximumRequestBytes}. */
function boundedFetch(url: string, { body, ...init }: RequestInit & { body: string }) {
  const bytes = new TextEncoder().encode(body);
  if (bytes.byteLength > maximumRequestBytes) {
    throw new RequestTooLargeError();
  }
  return fetch(url, { ...init, body: bytes });
}
// Set once, so that a test or a bench can put its own in front.
neonConfig.fetchFunction = boundedFetch;

/** Rows that have come as arrays, as objects. */
function objectsOf({ fields, rows }: FullQueryResults<true>): Record<string, unknown>[] {
  const names = fields.map(({ name }) => name);
  return rows.map((cells: readonly unknown[]) => {
    const row: Record<string, unknown> = {};
    let place = 0;
    for (const name of names) {
      row[name] = cells[place++];
    }
    return row;
  });
}

/** A response of the database that lacks results, rows or columns of what was asked. */
export class MalformedResponse extends Error {
  override readonly name = "MalformedResponse";
}

/**
 * Refuses a result with fewer columns than its fields, or fewer rows than Postgres counted: it would be taken for
 * records without fields, or for none. The first and the last row stand for all.
 */
function requireWhole({ fields, rows, rowCount }: FullQueryResults<true>): void {
  const isCut = (cells: readonly unknown[] | undefined) =>
    cells !== undefined && cells.length !== fields.length;
  const isShort = fields.length > 0 && rowCount !== null && rows.length !== rowCount;
  if (isShort || isCut(rows[0]) || isCut(rows.at(-1))) {
    throw new MalformedResponse();
  }
}

/** What a statement says that is awaited by itself. Its rows would be arrays, whatever their type says. */
function refuseAlone(): never {
  throw new Error("Only batches are sent: give the statement to `batch`.");
}

/**
 * The driver, with objects of our own making: it makes its own of pairs, which was the most that the Worker did for a
 * list. It sends batches alone.
 */
function withQuickRows(client: NeonQueryFunction<true, true>) {
  const inObjects = new WeakSet<object>();
  const { query, transaction } = client;
  return Object.assign(client, {
    query(text: string, parameters: unknown[], { arrayMode }: HTTPQueryOptions<boolean, true>) {
      const stated = query(text, parameters);
      if (!arrayMode) {
        inObjects.add(stated);
      }
      // biome-ignore lint/suspicious/noThenProperty: the driver's statements are thenables; these must not be awaited.
      return Object.assign(stated, { then: refuseAlone });
    },
    async transaction(queries: NeonQueryPromise<true, true>[]) {
      const results = await transaction(queries);
      if (results.length !== queries.length) {
        throw new MalformedResponse();
      }
      results.forEach(requireWhole);
      return results.map((result, place) =>
        inObjects.has(queries[place] ?? {}) ? { ...result, rows: objectsOf(result) } : result,
      );
    },
  });
}

/**
 * A Drizzle database over Neon's HTTP endpoint. Nothing is opened: every batch is one request.
 * @param signal ends the request, and with it the SQL, when it is aborted
 * @param databaseUrl the login; that of the API unless given
 */
export function connect(
  settings: Settings,
  signal: AbortSignal,
  databaseUrl = settings.DATABASE_URL,
): Database {
  if (settings.ENVIRONMENT === "development" && settings.LOCAL_DATABASE_ENDPOINT) {
    // Production cannot set this global of the driver: see env.ts.
    neonConfig.fetchEndpoint = settings.LOCAL_DATABASE_ENDPOINT;
  }
  const client = neon(databaseUrl, {
    arrayMode: true,
    fullResults: true,
    fetchOptions: { signal },
  });
  const driver = new NeonHttpDriver(withQuickRows(client), dialect);
  // Drizzle's driver sets the parser, which is a global: ours must come after it.
  types.setTypeParser(timestamptz, rfc3339);
  return new NeonHttpDatabase(dialect, driver.createSession(undefined), undefined);
}

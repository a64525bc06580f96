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

/** A Drizzle database that sends batches only. */
export type Database = NeonHttpDatabase<Record<string, never>>;

/**
 * Part of the first statement of a batch. It sets the schemas in which the other statements look up
 * tables. A login can change its own settings, so a stolen login could redirect table lookups.
 */
export const ownSearchPath = sql`set_config('search_path', 'public, pg_temp', true)`;

/**
 * Maximum size of a request to Neon's endpoint, in bytes. According to its public source code,
 * Neon's proxy accepts 10 MiB by default (`--sql-over-http-max-request-size-bytes`,
 * `proxy/src/binary/proxy.rs`). The proxy closes the connection during a larger request, which
 * cannot be distinguished from a broken network.
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
// Set once at load, so that a test or a benchmark can wrap it.
neonConfig.fetchFunction = boundedFetch;

/** Converts rows from arrays to objects. */
function objectsOf({ fields, rows }: FullQueryResults<true>): Record<string, unknown>[] {
  const names = fields.map(({ name }) => name);
  return rows.map((cells: readonly unknown[]) => {
    const row: Record<string, unknown> = {};
    let index = 0;
    for (const name of names) {
      row[name] = cells[index++];
    }
    return row;
  });
}

/** A database response in which results, rows or columns are missing. */
export class MalformedResponse extends Error {
  override readonly name = "MalformedResponse";
}

/**
 * Rejects a result whose rows have fewer columns than it has fields, or that has fewer rows than
 * Postgres counted. Such a result would look like records without fields, or as if records were
 * missing. Only the first and the last row are checked.
 */
function requireWhole({ fields, rows, rowCount }: FullQueryResults<true>): void {
  const isCut = (cells: readonly unknown[] | undefined) =>
    cells !== undefined && cells.length !== fields.length;
  const isShort = fields.length > 0 && rowCount !== null && rows.length !== rowCount;
  if (isShort || isCut(rows[0]) || isCut(rows.at(-1))) {
    throw new MalformedResponse();
  }
}

/**
 * Throws when a statement is awaited outside a batch. Its rows would be arrays, contrary to their
 * type.
 */
function refuseAlone(): never {
  throw new Error("Only batches are sent: give the statement to `batch`.");
}

/**
 * The driver, except that {@link objectsOf} converts rows to objects and that only batches are
 * sent. The driver itself builds objects from pairs, which was the Worker's most expensive step in
 * serving a list.
 */
function withQuickRows(client: NeonQueryFunction<true, true>) {
  const inObjects = new WeakSet<object>();
  const { query, transaction } = client;
  return Object.assign(client, {
    query(text: string, parameters: unknown[], { arrayMode }: HTTPQueryOptions<boolean, true>) {
      const statement = query(text, parameters);
      if (!arrayMode) {
        inObjects.add(statement);
      }
      // biome-ignore lint/suspicious/noThenProperty: the driver's statements are thenables; these must not be awaited.
      return Object.assign(statement, { then: refuseAlone });
    },
    async transaction(queries: NeonQueryPromise<true, true>[]) {
      const results = await transaction(queries);
      if (results.length !== queries.length) {
        throw new MalformedResponse();
      }
      results.forEach(requireWhole);
      return results.map((result, index) =>
        inObjects.has(queries[index] ?? {}) ? { ...result, rows: objectsOf(result) } : result,
      );
    },
  });
}

/**
 * A Drizzle database over Neon's HTTP endpoint. It does not open a connection: every batch is one
 * request.
 * @param signal cancels the request, and with it the SQL
 * @param databaseUrl the login; the API's by default
 */
export function connect(
  settings: Settings,
  signal: AbortSignal,
  databaseUrl = settings.DATABASE_URL,
): Database {
  if (settings.ENVIRONMENT === "development" && settings.LOCAL_DATABASE_ENDPOINT) {
    // This driver setting is global. It is never used in production: see env.ts.
    neonConfig.fetchEndpoint = settings.LOCAL_DATABASE_ENDPOINT;
  }
  const client = neon(databaseUrl, {
    arrayMode: true,
    fullResults: true,
    fetchOptions: { signal },
  });
  const driver = new NeonHttpDriver(withQuickRows(client), dialect);
  // Drizzle's driver sets this parser too, and the parser is global, so this call must come later.
  types.setTypeParser(timestamptz, rfc3339);
  return new NeonHttpDatabase(dialect, driver.createSession(undefined), undefined);
}

import { neon, neonConfig } from "@neondatabase/serverless";
import pg from "pg";
import { afterAll, beforeAll, describe } from "vitest";
import {
  type LocalDatabase,
  type LocalDatabaseOptions,
  startLocalDatabase,
} from "../../../drizzle/local/server.ts";
import { makeFolder } from "./folders.ts";

/** The Postgres on which tests make databases of their own, besides PGlite. */
export const postgresUrl = process.env["TEST_DATABASE_URL"];

/** A running local database and the driver that asks it. */
export interface Subject {
  database: LocalDatabase;
  sql: ReturnType<typeof neon<false, false>>;
  isPostgres: boolean;
}

/**
 * Describes the local database once on PGlite, and once on the Postgres that TEST_DATABASE_URL names.
 * @param body gets what will be there when its tests run
 */
export function describeLocalDatabase(name: string, body: (subject: Subject) => void): void {
  const kinds = [
    { kind: "PGlite", url: undefined },
    ...(postgresUrl === undefined ? [] : [{ kind: "Postgres", url: postgresUrl }]),
  ];
  describe.each(kinds)(`${name}, in front of $kind`, ({ url }) => {
    const subject = {} as Subject;
    let close = async () => {};
    beforeAll(async () => {
      const folder = await makeFolder("empty");
      const options = url === undefined ? { dataFolder: folder.postgres } : await makeDatabase(url);
      const database = await startLocalDatabase(options);
      neonConfig.fetchEndpoint = database.endpoint;
      const sql = neon(database.connectionString);
      Object.assign(subject, { database, sql, isPostgres: url !== undefined } satisfies Subject);
      close = async () => {
        await database.close();
        await dropDatabase(options);
        await folder.remove();
      };
    });
    afterAll(() => close());
    body(subject);
  });
}

/** Makes an empty database on a Postgres. */
export async function makeDatabase(url: string): Promise<{ databaseUrl: string }> {
  const made = new URL(url);
  made.pathname = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  await onPostgres(url, (client) => client.query(`create database ${made.pathname.slice(1)}`));
  return { databaseUrl: made.href };
}

/** Drops what {@link makeDatabase} has made. */
export async function dropDatabase({ databaseUrl }: LocalDatabaseOptions): Promise<void> {
  if (databaseUrl !== undefined && postgresUrl !== undefined) {
    const name = new URL(databaseUrl).pathname.slice(1);
    await onPostgres(postgresUrl, (client) =>
      client.query(`drop database if exists ${name} with (force)`),
    );
  }
}

/** Lends a connection of its own to a real Postgres. */
export async function onPostgres<Result>(
  connectionString: string,
  use: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Sends a request as the driver does, but with any body and headers. */
export function post(
  { database }: { database: Pick<LocalDatabase, "endpoint" | "connectionString"> },
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(database.endpoint, {
    method: "POST",
    body,
    headers: {
      "neon-connection-string": database.connectionString,
      "neon-raw-text-output": "true",
      "neon-array-mode": "true",
      ...headers,
    },
  });
}

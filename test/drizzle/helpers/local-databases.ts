import { neon, neonConfig } from "@neondatabase/serverless";
import { afterAll, beforeAll, describe } from "vitest";
import { type LocalDatabase, startLocalDatabase } from "../../../drizzle/local/server.ts";
import { makeDatabase } from "../../local-database/postgres.ts";
import { makeFolder } from "./folders.ts";

/** A Postgres in which tests also create databases, in addition to PGlite. */
export const postgresUrl = process.env["TEST_DATABASE_URL"];

/** A running local database and a driver connected to it. */
export interface Subject {
  database: LocalDatabase;
  sql: ReturnType<typeof neon<false, false>>;
  isPostgres: boolean;
}

/**
 * Describes the local database in front of the Postgres at TEST_DATABASE_URL, or of PGlite if that
 * is not set: `.ci/run` does both.
 * @param body receives an object that is filled before the tests run
 */
export function describeLocalDatabase(name: string, body: (subject: Subject) => void): void {
  const kind = postgresUrl === undefined ? "PGlite" : "Postgres";
  describe(`${name}, in front of ${kind}`, () => {
    const subject = {} as Subject;
    let close = async () => {};
    beforeAll(async () => {
      const folder = await makeFolder("empty");
      const made = postgresUrl === undefined ? null : await makeDatabase(postgresUrl);
      const database = await startLocalDatabase(
        made === null ? { dataFolder: folder.postgres } : { databaseUrl: made.databaseUrl },
      );
      neonConfig.fetchEndpoint = database.endpoint;
      const sql = neon(database.connectionString);
      Object.assign(subject, {
        database,
        sql,
        isPostgres: postgresUrl !== undefined,
      } satisfies Subject);
      close = async () => {
        await database.close();
        await made?.drop();
        await folder.remove();
      };
    });
    afterAll(() => close());
    body(subject);
  });
}

/** Sends a request as the driver does, but with any given body and headers. */
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

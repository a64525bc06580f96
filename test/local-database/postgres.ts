import pg from "pg";

/** A database on a real Postgres. Its creator must drop it. */
export interface MadeDatabase {
  databaseUrl: string;
  drop(): Promise<void>;
}

/**
 * Creates an empty database, or a copy of another one.
 * @param serverUrl any database on the same Postgres
 * @param template a migrated database without connections
 */
export async function makeDatabase(
  serverUrl: string,
  template?: Pick<MadeDatabase, "databaseUrl">,
): Promise<MadeDatabase> {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  const made = new URL(serverUrl);
  made.pathname = name;
  await onPostgres(serverUrl, async (client) => {
    if (template === undefined) {
      await client.query(`create database ${name}`);
      return;
    }
    await client.query(
      `create database ${name} template ${new URL(template.databaseUrl).pathname.slice(1)}`,
    );
    // Rights on the database itself are not copied. The right revoked here is also revoked by the
    // first migration.
    await client.query(`revoke temporary on database ${name} from public`);
  });
  return {
    databaseUrl: made.href,
    async drop() {
      await onPostgres(serverUrl, (client) =>
        client.query(`drop database if exists ${name} with (force)`),
      );
    },
  };
}

/** Calls `use` with a new connection, and then closes the connection. */
export async function onPostgres<Result>(
  databaseUrl: string,
  use: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

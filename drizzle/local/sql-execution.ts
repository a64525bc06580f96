import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { LocalPool } from "./pool.ts";
import { MAX_BODY_BYTES, ProxyError, type SqlRequest, type Statement } from "./sql-request.ts";

/**
 * Runs the request and resolves to its response as JSON.
 *
 * Rejects with the error of the first statement that failed (or of the commit), with a
 * {@link ProxyError}, or with the signal's reason.
 */
export function executeSql(
  pool: LocalPool,
  { isTransaction, statements }: SqlRequest,
  signal: AbortSignal,
): Promise<string> {
  return pool.withClient(async (client) => {
    // While PGlite was busy with other callers, a disconnect by this caller could not be detected:
    // the event loop reads the end of its stream in one iteration and closes the connection in the
    // next.
    await nextTurn();
    await nextTurn();
    signal.throwIfAborted();
    const travel = async (roundTrips: number) => {
      if (pool.roundTripMs > 0) {
        await sleep(pool.roundTripMs * roundTrips);
      }
    };
    const interrupt = () => pool.interrupt(client);
    signal.addEventListener("abort", interrupt, { once: true });
    try {
      if (isTransaction) {
        await client.query("begin");
        await travel(1);
      }
      const results: string[] = [];
      let bytes = 0;
      for (const statement of statements) {
        const result = await runStatement(client, statement, pool.nameOf(statement.query));
        await travel(2);
        signal.throwIfAborted();
        bytes += Buffer.byteLength(result);
        if (bytes > MAX_BODY_BYTES) {
          throw new ProxyError(507, `response is too large (max is ${MAX_BODY_BYTES} bytes)`);
        }
        results.push(result);
      }
      if (!isTransaction) {
        return results.join();
      }
      await client.query("commit");
      await travel(1);
      return `{"results":[${results.join()}]}`;
    } finally {
      signal.removeEventListener("abort", interrupt);
    }
  });
}

interface StatementConfig extends pg.QueryArrayConfig<(string | null)[]> {
  /**
   * Missing from the types for `pg`. By default, `pg` uses the simple protocol for statements
   * without parameters.
   */
  queryMode: "extended";
}

const rawText: pg.CustomTypesConfig = { getTypeParser: () => (text: string) => text };

async function runStatement(
  client: pg.ClientBase,
  statement: Statement,
  name: string | undefined,
): Promise<string> {
  const config: StatementConfig = {
    text: statement.query,
    ...(name !== undefined && { name }),
    values: statement.params,
    rowMode: "array",
    types: rawText,
    queryMode: "extended",
  };
  const { fields, rows, command, rowCount } = await client.query(config);
  return JSON.stringify({
    rowAsArray: true,
    fields: fields.map((field) => ({ ...field, format: "text" })),
    rows,
    command: command ?? "",
    rowCount,
  });
}

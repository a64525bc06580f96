import pg from "pg";
import type { Connections } from "./connections.ts";
import { MAX_BODY_BYTES, ProxyError, type SqlRequest, type Statement } from "./neon-protocol.ts";

/**
 * Runs the request and resolves to the JSON text of its answer.
 *
 * Rejects with the `DatabaseError` of the first statement that failed (or of COMMIT), with a
 * {@link ProxyError}, or with the signal's reason. The connection goes back without a transaction.
 */
export async function executeSql(
  connections: Connections,
  request: SqlRequest,
  signal: AbortSignal,
): Promise<string> {
  const client = await connections.connect();
  let interruption: Promise<void> | undefined;
  const interrupt = () => {
    interruption ??= connections.interrupt(client);
  };
  signal.addEventListener("abort", interrupt, { once: true });
  let failure: unknown;
  const stopIfAborted = async () => {
    await connections.pause();
    signal.throwIfAborted();
  };
  try {
    await stopIfAborted();
    const answer = new Answer(interrupt);
    if (request.kind === "single") {
      return await runStatement(client, request.statement, answer);
    }
    await client.query(request.begin);
    const results: string[] = [];
    for (const statement of request.statements) {
      results.push(await runStatement(client, statement, answer));
      await stopIfAborted();
    }
    await client.query("COMMIT");
    return `{"results":[${results.join(",")}]}`;
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    signal.removeEventListener("abort", interrupt);
    await interruption;
    await connections.release(client, failure);
  }
}

/** Counts the bytes of an answer and stops the SQL that would make it too large. */
class Answer {
  readonly #interrupt: () => void;
  #bytes = 0;

  constructor(interrupt: () => void) {
    this.#interrupt = interrupt;
  }

  get tooLarge(): boolean {
    return this.#bytes > MAX_BODY_BYTES;
  }

  add(text: string): void {
    this.#bytes += Buffer.byteLength(text);
    if (this.tooLarge) {
      this.#interrupt();
    }
  }
}

interface StatementConfig extends pg.QueryArrayConfig<(string | null)[]> {
  /** Missing in the types of `pg`: by default it uses the simple protocol without parameters. */
  queryMode: "extended";
}

const rawText: pg.CustomTypesConfig = {
  getTypeParser: () => (text: string) => text,
};

function runStatement(
  client: pg.ClientBase,
  statement: Statement,
  answer: Answer,
): Promise<string> {
  const config: StatementConfig = {
    text: statement.query,
    values: [...statement.params],
    rowMode: "array",
    types: rawText,
    queryMode: "extended",
  };
  // With a listener for rows `pg` does not collect them: the JSON text is made as they arrive, so
  // an endless result cannot fill the memory.
  const query = new pg.Query<(string | null)[]>(config);
  const rows: string[] = [];
  let encode: ((row: (string | null)[]) => string) | undefined;
  const done = new Promise<string>((resolve, reject) => {
    const refuse = (error: Error) => reject(answer.tooLarge ? tooLarge() : error);
    query.on("row", (row, result) => {
      if (answer.tooLarge) {
        return;
      }
      encode ??= statement.arrayMode ? JSON.stringify : objectEncoder(result?.fields ?? []);
      const text = encode(row);
      rows.push(text);
      answer.add(text);
    });
    query.on("error", refuse);
    query.on("end", (result) => {
      if (answer.tooLarge) {
        refuse(tooLarge());
        return;
      }
      const fields = result.fields.map((field) => ({
        name: field.name,
        dataTypeID: field.dataTypeID,
        tableID: field.tableID,
        columnID: field.columnID,
        dataTypeSize: field.dataTypeSize,
        dataTypeModifier: field.dataTypeModifier,
        format: "text",
      }));
      resolve(
        `{"rowAsArray":${statement.arrayMode},"fields":${JSON.stringify(fields)},` +
          `"rows":[${rows.join(",")}],"command":${JSON.stringify(result.command ?? "")},` +
          `"rowCount":${result.rowCount}}`,
      );
    });
  });
  client.query(query);
  return done;
}

function objectEncoder(fields: readonly pg.FieldDef[]): (row: (string | null)[]) => string {
  const keys = fields.map((field) => JSON.stringify(field.name));
  return (row) =>
    `{${row.map((value, index) => `${keys[index]}:${JSON.stringify(value)}`).join(",")}}`;
}

function tooLarge(): ProxyError {
  return new ProxyError(507, `response is too large (max is ${MAX_BODY_BYTES} bytes)`);
}

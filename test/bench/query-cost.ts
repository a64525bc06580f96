import type pg from "pg";
import { compare } from "./measure.ts";
import { atMost, type Row, shown } from "./row.ts";
import { type Databases, type LoadedDatabase, largest, list, middle, type Scene } from "./scene.ts";
import {
  asTenant,
  recordCalls,
  type SentCall,
  type SentStatement,
  statementMs,
} from "./statements.ts";

/** The one call of a list. */
export async function recorded(
  { server }: LoadedDatabase,
  path: string,
  key = largest,
): Promise<SentCall> {
  const {
    calls: [call],
  } = await recordCalls(server, list(path, key));
  if (!call) {
    throw new Error(`${path}: no call was recorded`);
  }
  return call;
}

/** How long the statements take in Postgres, after each other. */
export async function sumMs(
  client: pg.Client,
  statements: readonly SentStatement[],
): Promise<number> {
  let milliseconds = 0;
  for (const statement of statements) {
    milliseconds += await statementMs(client, statement);
  }
  return milliseconds;
}

const plain = (query: string): SentStatement => ({ query, params: [] });

/** The two halves of a list of bindings, each by itself. */
const isAt = `valid_from <= '${middle}' and (valid_to is null or valid_to > '${middle}')`;
const pageOf = (where: string) =>
  plain(`select * from bindings where ${where} order by created_at, live_id limit 50`);
const countOf = (where: string) => plain(`select count(*) from bindings where ${where}`);
const live = "valid_to is null";

/**
 * Turns of single executions: a slow moment of the machine then touches both sides, and the median
 * of many passes over it.
 */
export const turns = ({ rounds }: Scene) => rounds * 7;

async function ratioRow(
  scene: Scene,
  { client }: LoadedDatabase,
  { gate }: SentCall,
  row: {
    what: string;
    ours: SentStatement[];
    reference: SentStatement[];
    bound: number;
  },
): Promise<Row> {
  const measure = (statements: SentStatement[]) => () =>
    asTenant(client, gate, () => sumMs(client, statements));
  const found = await compare(turns(scene), measure(row.ours), measure(row.reference));
  return {
    what: row.what,
    ours: shown(found.ours, "ms"),
    reference: shown(found.reference, "ms"),
    value: found.ratio.median,
    unit: "×",
    spread: found.ratio.spread,
    bound: atMost(row.bound),
  };
}

/** What lists cost in Postgres, planning included, in the tenant's role. */
async function listRows(scene: Scene, { million }: Databases): Promise<Row[]> {
  const page = await recorded(million, "bindings");
  const far = await recorded(million, "bindings?offset=150000");
  const past = await recorded(million, `bindings?at=${middle}`);
  const alone = (half: SentStatement) => () =>
    asTenant(million.client, page.gate, () => statementMs(million.client, half));
  const halves = await compare(turns(scene), alone(pageOf(live)), alone(countOf(live)));
  const dearer = halves.ratio.median > 1 ? pageOf(live) : countOf(live);
  return [
    await ratioRow(scene, million, page, {
      what: "page with exact total_count in the largest organization, against the dearer of its two queries",
      ours: page.asked,
      reference: [dearer],
      bound: 1.2,
    }),
    await ratioRow(scene, million, page, {
      what: "offset=150000 against offset=0",
      ours: far.asked,
      reference: page.asked,
      bound: 10,
    }),
    await ratioRow(scene, million, page, {
      what: "page with at in the middle of history, against the live page",
      ours: past.asked,
      reference: page.asked,
      bound: 2,
    }),
  ];
}

/** Rows with everything in them, as they go over the wire: their text is part of the cost. */
async function childrenRow(scene: Scene, { million }: Databases): Promise<Row> {
  const { client } = million;
  const { gate, asked } = await recorded(million, "credentials?limit=1000");
  const bare = plain(`select id, created_at, updated_at, name, organization_id, settings,
    (select count(*) from credentials) from credentials order by created_at, id limit 1000`);
  const measure = (statements: SentStatement[]) => () =>
    asTenant(client, gate, async () => {
      const before = performance.now();
      for (const { query, params } of statements) {
        await client.query({ text: query, values: params, rowMode: "array", types: rawText });
      }
      return performance.now() - before;
    });
  const found = await compare(turns(scene), measure(asked), measure([bare]));
  return {
    what: "credentials page of 1,000 with all children, against the same rows without",
    ours: shown(found.ours, "ms"),
    reference: shown(found.reference, "ms"),
    value: found.ratio.median,
    unit: "×",
    spread: found.ratio.spread,
    bound: atMost(4),
    note: "over a connection, with the text of the rows",
  };
}

const rawText: pg.CustomTypesConfig = { getTypeParser: () => (text: string) => text };

/** A million bindings against a tenth of them, in the same organization's share. */
async function growthRows(scene: Scene, { million, tenth }: Databases): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [what, statement, bound] of [
    ["page", pageOf(live), 1.5],
    ["page with at", pageOf(isAt), 1.5],
    ["count", countOf(live), 10],
  ] as const) {
    const measure =
      (database: LoadedDatabase, { gate }: SentCall) =>
      () =>
        asTenant(database.client, gate, () => statementMs(database.client, statement));
    const found = await compare(
      turns(scene),
      measure(million, await recorded(million, "bindings")),
      measure(tenth, await recorded(tenth, "bindings")),
    );
    rows.push({
      what: `${what} among 1,000,000 bindings, against 100,000`,
      ours: shown(found.ours, "ms"),
      reference: shown(found.reference, "ms"),
      value: found.ratio.median,
      unit: "×",
      spread: found.ratio.spread,
      bound: atMost(bound),
      note: "largest organization",
    });
  }
  return rows;
}

/** A page and its count where one organization owns the table, as in an ordinary one of many. */
async function aloneRow(scene: Scene, { alone, million }: Databases): Promise<Row> {
  const measure = async (database: LoadedDatabase, key: string) => {
    const { gate, asked } = await recorded(database, "bindings", key);
    return () => asTenant(database.client, gate, () => sumMs(database.client, asked));
  };
  const found = await compare(
    turns(scene),
    await measure(alone, largest),
    await measure(million, largest),
  );
  return {
    what: "page with total_count where one organization owns all 100,000 bindings, against half of 333,333",
    ours: shown(found.ours, "ms"),
    reference: shown(found.reference, "ms"),
    value: found.ratio.median,
    unit: "×",
    spread: found.ratio.spread,
  };
}

/** What queries cost in Postgres. */
export async function queryRows(scene: Scene, databases: Databases): Promise<Row[]> {
  return [
    ...(await listRows(scene, databases)),
    await aloneRow(scene, databases),
    await childrenRow(scene, databases),
    ...(await growthRows(scene, databases)),
  ];
}

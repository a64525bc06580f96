import type pg from "pg";
import * as z from "zod";
import { storedStatements } from "../../src/stored-statements.ts";
import type { SentStatement } from "../bench/statements.ts";

const nodeSchema = z.object({
  "Node Type": z.string(),
  "Relation Name": z.string().optional(),
  "Index Name": z.string().optional(),
  "Actual Rows": z.number(),
  "Actual Loops": z.number(),
  "Rows Removed by Filter": z.number().default(0),
  "Rows Removed by Index Recheck": z.number().default(0),
  "Heap Fetches": z.number().default(0),
  "Index Cond": z.string().optional(),
  "Temp Written Blocks": z.number().default(0),
  get Plans() {
    return z.array(nodeSchema).default([]);
  },
});

/** A node of an executed plan, in the format of `explain (analyze, format json)`. */
type PlanNode = z.output<typeof nodeSchema>;

/** A node that reads a table, or an index instead of the table. */
export interface Scan {
  type: string;
  table: string;
  index: string | undefined;
  /** The number of rows read, including those that were then filtered out. */
  read: number;
  /** The number of rows of an index-only scan that had to be read from the table. */
  heapFetches: number;
  /** True if its rows are only counted. */
  isCount: boolean;
  /** True if it reads a whole table, or a whole index instead of the table. */
  isWhole: boolean;
}

/** The scans of a statement, and the number of rows that it returned. */
export interface Plan {
  scans: Scan[];
  returned: number;
  /** The number of blocks that it wrote to temporary files because they did not fit in memory. */
  spilled: number;
}

/** Scans that read everything unless they have a condition. */
const wholeScans = ["Seq Scan", "Index Scan", "Index Only Scan", "Bitmap Index Scan"];

const isUnconditional = (node: PlanNode): boolean =>
  wholeScans.includes(node["Node Type"])
    ? node["Index Cond"] === undefined
    : node["Node Type"].startsWith("Bitmap") && node.Plans.some(isUnconditional);

const explained = z.tuple([z.object({ Plan: nodeSchema })]);

const storedTexts = new Map(storedStatements().map(({ name, text }) => [name, text]));

const calledStored = /^select \* from app\.(\w+)\((.*)\)$/;

/** Returns the text of the stored statement that a query calls; the query itself if there is none. */
export const storedTextOf = (query: string): string =>
  storedTexts.get(calledStored.exec(query)?.[1] ?? "") ?? query;

/** Prepares the stored statement that a query calls, as its function does. */
async function prepareStored(
  client: pg.Client,
  { query, params }: SentStatement,
): Promise<SentStatement> {
  const text = storedTextOf(query);
  if (text === query) {
    return { query, params };
  }
  await client.query("deallocate all; set local plan_cache_mode = force_generic_plan");
  await client.query(`prepare stored as ${text}`);
  const [, , values = ""] = calledStored.exec(query) ?? [];
  const literals = values.replace(/\$(\d+)/g, (_, number) =>
    client.escapeLiteral(params[number - 1] ?? ""),
  );
  return { query: `execute stored (${literals})`, params: [] };
}

/** Runs a statement and returns its plan. For a stored statement, this is the plan of its text. */
export async function planOf(client: pg.Client, statement: SentStatement): Promise<Plan> {
  const { query, params } = await prepareStored(client, statement);
  const { rows } = await client.query<{ "QUERY PLAN": unknown }>(
    `explain (analyze, buffers, timing off, format json) ${query}`,
    params,
  );
  const [{ Plan }] = explained.parse(rows[0]?.["QUERY PLAN"]);
  return {
    scans: scansOf(Plan, false),
    returned: Plan["Actual Rows"],
    spilled: Plan["Temp Written Blocks"],
  };
}

function scansOf(node: PlanNode, isCount: boolean): Scan[] {
  const { "Relation Name": table, "Actual Loops": loops } = node;
  const read =
    node["Actual Rows"] + node["Rows Removed by Filter"] + node["Rows Removed by Index Recheck"];
  const scan: Scan[] =
    table === undefined || node["Node Type"] === "ModifyTable"
      ? []
      : [
          {
            type: node["Node Type"],
            table,
            index: node["Index Name"],
            read: read * loops,
            heapFetches: node["Heap Fetches"],
            isCount,
            isWhole: isUnconditional(node),
          },
        ];
  const isAggregate = isCount || node["Node Type"] === "Aggregate";
  return [...scan, ...node.Plans.flatMap((child) => scansOf(child, isAggregate))];
}

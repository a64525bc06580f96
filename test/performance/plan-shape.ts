import type pg from "pg";
import * as z from "zod";
import type { StoredStatement } from "../../src/database/stored-statement.ts";

const nodeSchema = z.object({
  "Node Type": z.string(),
  "Parent Relationship": z.string().optional(),
  "Relation Name": z.string().optional(),
  "Index Name": z.string().optional(),
  "Index Cond": z.string().optional(),
  get Plans() {
    return z.array(nodeSchema).default([]);
  },
});

type PlanNode = z.output<typeof nodeSchema>;

const explained = z.tuple([z.object({ Plan: nodeSchema })]);

/** A plan without its estimates, which differ from run to run. */
export interface PlanShape {
  /** A line for each node, with its index or table. */
  text: string;
  /** The nodes that read a whole table, or a whole index. */
  whole: string[];
}

const isSubPlan = (node: PlanNode): boolean =>
  node["Parent Relationship"] === "InitPlan" || node["Parent Relationship"] === "SubPlan";

const nameOf = (node: PlanNode): string => {
  const [index, table] = [node["Index Name"], node["Relation Name"]];
  return [
    ...(isSubPlan(node) ? [`${node["Parent Relationship"]}:`] : []),
    node["Node Type"],
    ...(index ? ["using", index] : []),
    ...(table && !index ? ["on", table] : []),
  ].join(" ");
};

/**
 * True for a node that only computes values, such as a function call in a policy, and for the sort
 * of an ordered aggregate, which has no node of its own before Postgres 16.
 */
const isLeftOut = (node: PlanNode, parent: PlanNode | undefined): boolean =>
  (node["Node Type"] === "Result" && (node.Plans.length === 0 || !isSubPlan(node))) ||
  (node["Node Type"] === "Sort" && parent?.["Node Type"] === "Aggregate");

const linesOf = (node: PlanNode, depth: number, parent?: PlanNode): string[] => {
  const linesAt = (childDepth: number) =>
    node.Plans.flatMap((child) => linesOf(child, childDepth, node));
  return isLeftOut(node, parent)
    ? linesAt(depth)
    : [`${"  ".repeat(depth)}${nameOf(node)}`, ...linesAt(depth + 1)];
};

const isWhole = (node: PlanNode): boolean =>
  node["Node Type"] === "Seq Scan" ||
  (node["Index Name"] !== undefined && node["Index Cond"] === undefined);

const wholeOf = (node: PlanNode): string[] => [
  ...(isWhole(node) ? [nameOf(node)] : []),
  ...node.Plans.flatMap(wholeOf),
];

/** The plan that a stored statement's function caches. */
export async function genericPlanOf(
  client: pg.Client,
  { text }: StoredStatement,
): Promise<PlanShape> {
  await client.query("set local plan_cache_mode = force_generic_plan");
  await client.query(`prepare stored as ${text}`);
  const { rows: types } = await client.query<{ count: number }>(
    "select cardinality(parameter_types) as count from pg_prepared_statements where name = 'stored'",
  );
  const values = Array.from({ length: types[0]?.count ?? 0 }, () => "null").join(", ");
  const { rows } = await client.query<{ "QUERY PLAN": unknown }>(
    `explain (costs off, format json) execute stored (${values})`,
  );
  await client.query("deallocate stored");
  const [{ Plan }] = explained.parse(rows[0]?.["QUERY PLAN"]);
  return { text: linesOf(Plan, 0).join("\n"), whole: wholeOf(Plan) };
}

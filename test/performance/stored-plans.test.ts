import { beforeAll, expect, test } from "vitest";
import type { StoredStatement } from "../../src/database/stored-statement.ts";
import { storedStatements } from "../../src/stored-statements.ts";
import { largest, list } from "../bench/scene.ts";
import { asTenant, recordCalls } from "../bench/statements.ts";
import { grow, growTenfold } from "./grow.ts";
import { type Loaded, openLoaded } from "./loaded.ts";
import { genericPlanOf, type PlanShape } from "./plan-shape.ts";

const statements = storedStatements();
const tables = [...new Set(statements.map(({ table }) => table))];
const sizes = ["1,000", "100,000", "1,000,000"] as const;

let shapes: Map<StoredStatement, PlanShape[]>;

async function shapesIn(loaded: Loaded): Promise<void> {
  const { calls } = await recordCalls(loaded.database, list("tags", largest));
  for (const { gate } of calls) {
    await asTenant(loaded.client, gate, async () => {
      for (const statement of statements) {
        const shape = await genericPlanOf(loaded.client, statement);
        shapes.set(statement, [...(shapes.get(statement) ?? []), shape]);
      }
    });
  }
}

// Needs a real Postgres: PGlite's plans may be different.
beforeAll(async () => {
  shapes = new Map();
  const serverUrl = process.env["TEST_DATABASE_URL"] ?? "";
  for (const size of [
    { hosts: 44, small: 2, isGrownTenfold: false },
    { hosts: 4350, small: 50, isGrownTenfold: true },
  ]) {
    const loaded = await openLoaded(serverUrl, (client) => grow(client, size));
    try {
      await shapesIn(loaded);
      if (size.isGrownTenfold) {
        await growTenfold(loaded.client);
        await shapesIn(loaded);
      }
    } finally {
      await loaded.close();
    }
  }
}, 300_000);

test.each(statements)("$name reads no whole table", (statement) => {
  const whole = shapes.get(statement)?.map((shape) => shape.whole);
  expect(whole).toEqual(sizes.map(() => []));
});

const headingOf = ({ name }: StoredStatement) => name.replace(/_[\da-f]{14}$/, "");

/** The plans of a statement, each with the sizes at which it is chosen. */
function sectionOf(statement: StoredStatement): string {
  const bySize = Map.groupBy(sizes.entries(), ([at]) => shapes.get(statement)?.[at]?.text);
  const plans = [...bySize].map(
    ([text, of]) => `${of.map(([, size]) => size).join(", ")} records:\n${text}`,
  );
  return `${headingOf(statement)}\n\n${plans.join("\n\n")}\n`;
}

test.each(tables)("the plans of stored statements for %s are those in the file", async (table) => {
  const sections = statements.filter((statement) => statement.table === table).map(sectionOf);
  await expect(sections.join("\n")).toMatchFileSnapshot(`stored-plans/${table}.txt`);
});

import { describe, expect, test } from "vitest";
import * as z from "zod";
import alerts from "../../src/docs/alerts.json";
import dashboard from "../../src/docs/grafana.json";
import runbook from "../../src/docs/operations/alerts.md?raw";
import { measure, measuredEvents } from "../../src/outbound/metrics.ts";

/** The columns that the Worker fills, and those that Analytics Engine adds. */
const columns = new Set(["timestamp", "_sample_interval"]);
measure(
  {
    writeDataPoint({ indexes, blobs, doubles }) {
      for (const [kind, values] of Object.entries({
        index: indexes,
        blob: blobs,
        double: doubles,
      })) {
        for (const position of values.keys()) {
          columns.add(`${kind}${position + 1}`);
        }
      }
    },
  },
  { event: "request", operation: "GET /api/v1/tags", outcome: "ok" },
);

/** The column names in a query that the Worker does not write. */
const unknownColumns = (sql: string): string[] =>
  (sql.match(/\b(?:index|blob|double)\d+\b/g) ?? []).filter((column) => !columns.has(column));

/** The values of `blob1` in a query that the Worker does not write. */
const unknownEvents = (sql: string): string[] =>
  Array.from(sql.matchAll(/\bblob1 = '(\w*)'/g), ([, event = ""]) => event).filter(
    (event) => !measuredEvents.some((known) => known === event),
  );

const source = z.strictObject({
  refId: z.literal("A"),
  datasourceUid: z.literal("analytics-engine"),
  relativeTimeRange: z.strictObject({ from: z.int(), to: z.literal(0) }),
  model: z.strictObject({
    refId: z.literal("A"),
    query: z.string(),
    format: z.literal("table"),
  }),
});

const threshold = z.strictObject({
  refId: z.literal("B"),
  datasourceUid: z.literal("__expr__"),
  relativeTimeRange: source.shape.relativeTimeRange,
  model: z.strictObject({
    refId: z.literal("B"),
    type: z.literal("threshold"),
    expression: z.literal("A"),
    conditions: z.tuple([
      z.strictObject({
        evaluator: z.strictObject({ type: z.literal("gt"), params: z.tuple([z.number()]) }),
      }),
    ]),
  }),
});

/** The part of Grafana's provisioning format that the file uses. */
const ruleSchema = z.strictObject({
  uid: z.string().regex(/^[\w-]{1,40}$/),
  title: z.string(),
  condition: z.literal("B"),
  data: z.tuple([source, threshold]),
  for: z.string().regex(/^\d+[smh]$/),
  // Without requests, a share is not a number.
  noDataState: z.literal("OK"),
  execErrState: z.literal("Error"),
  labels: z.strictObject({ severity: z.enum(["page", "ticket"]) }),
  annotations: z.strictObject({ runbook: z.string() }),
});

const { rules } = z
  .strictObject({
    orgId: z.literal(1),
    name: z.string(),
    folder: z.string(),
    interval: z.literal("1m"),
    rules: z.array(ruleSchema).min(1),
  })
  .parse(alerts.groups[0]);

const named = rules.map((rule) => [rule.title, rule] as const);

describe("the alerts", () => {
  test("have different titles and ids", () => {
    expect(new Set(rules.map(({ uid }) => uid)).size).toBe(rules.length);
    expect(new Set(rules.map(({ title }) => title)).size).toBe(rules.length);
  });

  test.each(named)("query columns and events that the Worker writes: %s", (_, { data }) => {
    const { query } = data[0].model;
    expect(query).toMatch(/^SELECT .* FROM .*\bnetwork_inventory\b/);
    expect([...unknownColumns(query), ...unknownEvents(query)]).toEqual([]);
  });

  test.each(named)("look as far back as Grafana is told: %s", (_, { data }) => {
    const [, count, unit] = /INTERVAL '(\d+)' (MINUTE|HOUR)/.exec(data[0].model.query) ?? [];
    const seconds = Number(count) * (unit === "HOUR" ? 3600 : 60);
    expect(data.map(({ relativeTimeRange }) => relativeTimeRange.from)).toEqual([seconds, seconds]);
  });

  test.each(named)("link to an entry of the runbook: %s", (title, { annotations }) => {
    expect(runbook).toContain(`\n### ${title}\n`);
    const anchor = title.toLowerCase().replaceAll(" ", "-");
    expect(annotations.runbook).toBe(`src/docs/operations/alerts.md#${anchor}`);
  });

  test("are the entries of the runbook", () => {
    const [, entries = ""] = runbook.split("\n## Runbook\n");
    const titles = Array.from(entries.matchAll(/^### (.+)$/gm), ([, title]) => title);
    expect(titles).toEqual(rules.map(({ title }) => title));
  });

  test.each(named)("have the threshold that the table states: %s", (title, rule) => {
    const { conditions } = rule.data[1].model;
    const limit = conditions[0].evaluator.params[0];
    const [, range = ""] = /INTERVAL ('\d+' \w+)/.exec(rule.data[0].model.query) ?? [];
    const window = range.replaceAll("'", "").toLowerCase();
    const anchor = title.toLowerCase().replaceAll(" ", "-");
    const row = `| [${title}](#${anchor}) | ${window} | ${limit} | ${rule.for} | ${rule.labels.severity} |`;
    expect(runbook).toContain(row);
  });
});

test("the queries in the runbook use columns and events that the Worker writes", () => {
  const queries = Array.from(
    runbook.matchAll(/```sql\n(SELECT [\s\S]*?)```/g),
    ([, query = ""]) => query,
  );
  expect(queries.length).toBeGreaterThan(0);
  expect(queries.flatMap((query) => [...unknownColumns(query), ...unknownEvents(query)])).toEqual(
    [],
  );
});

test("the runbook describes every column and every event", () => {
  for (const name of [...columns, ...measuredEvents]) {
    expect(runbook).toContain(`\`${name}\``);
  }
});

describe("the dashboard", () => {
  const panels = dashboard.panels.map((panel) => [panel.title, panel] as const);

  test.each(panels)("queries columns and events that the Worker writes: %s", (_, { targets }) => {
    const [{ query } = { query: "" }] = targets;
    expect(query).toMatch(/^SELECT .* FROM network_inventory WHERE \$timeFilter\b/);
    expect([...unknownColumns(query), ...unknownEvents(query)]).toEqual([]);
  });

  test("has panels that do not overlap", () => {
    const cells = dashboard.panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(cells.length);
    for (const { gridPos } of dashboard.panels) {
      expect(gridPos).toMatchObject({ w: 12, h: 8 });
      expect([gridPos.x % 12, gridPos.y % 8]).toEqual([0, 0]);
    }
  });

  test("can be limited to one organization, except for the ranking of organizations", () => {
    const [variable] = dashboard.templating.list;
    expect(variable).toMatchObject({ name: "organization", type: "textbox", query: "%" });
    const isLimited = ([{ query } = { query: "" }]: { query: string }[]) =>
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana's syntax for a variable
      query.includes("index1 LIKE '${organization:raw}'");
    expect(
      dashboard.panels.filter(({ targets }) => !isLimited(targets)).map(({ title }) => title),
    ).toEqual(["Organizations with the most requests"]);
  });

  test("shows requests, polls, jobs, deliveries, 429 and the share of the database", () => {
    const queries = dashboard.panels.flatMap(({ targets }) => targets.map(({ query }) => query));
    for (const part of [
      "blob1 = 'request'",
      "blob1 = 'poll'",
      "blob1 = 'job'",
      "blob1 = 'webhook_delivery'",
      "double1 = 429",
      "sum(double3 * _sample_interval) / sum(double2 * _sample_interval)",
    ]) {
      expect(queries.some((query) => query.includes(part))).toBe(true);
    }
  });
});

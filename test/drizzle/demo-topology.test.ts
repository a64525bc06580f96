import { afterAll, beforeAll, expect, it } from "vitest";
import { seedDemo } from "../../drizzle/demo/seed.ts";
import demo from "../../drizzle/demo.json" with { type: "json" };
import { type LocalDatabase, startLocalDatabase } from "../../drizzle/local/server.ts";
import { graphvizOf } from "../../src/inventory/topology/graphviz.ts";
import { mermaidOf } from "../../src/inventory/topology/mermaid.ts";
import { topologySchema } from "../../src/inventory/topology/model.ts";
import { recordCalls } from "../bench/statements.ts";
import { makeFolder, type TestFolder } from "./helpers/folders.ts";

let folder: TestFolder;
let database: LocalDatabase;
beforeAll(async () => {
  folder = await makeFolder("migrated");
  database = await startLocalDatabase({ dataFolder: folder.postgres });
  await database.withClient(seedDemo);
});
afterAll(async () => {
  await database.close();
  await folder.remove();
});

/** Reads the map of the demo networks, either as of 00:00 UTC on a day or as of now. */
async function mapOf(day: string, layer = "l3") {
  const { calls, text } = await recordCalls(database, {
    method: "GET",
    path: `/api/v1/topology?layer=${layer}${day === "now" ? "" : `&at=${day}T00:00:00Z`}`,
    key: demo.keys.viewer,
  });
  expect(calls).toHaveLength(1);
  return { text, map: topologySchema.parse(JSON.parse(text).data) };
}

/** A line for each node and edge. */
const linesOf = (map: object) => JSON.stringify(map).replaceAll(/\{"id":/g, "\n$&");

it.each([
  ["2022-10-01", 7, 5],
  ["2023-06-01", 17, 15],
  ["2024-01-01", 19, 18],
  ["2025-05-10", 17, 18],
  ["now", 17, 18],
])("the map of the demo networks is the same in every database: %s", async (day, nodes, edges) => {
  const { text, map } = await mapOf(day);
  expect(map.counts).toMatchObject({ nodes, edges });
  expect((await mapOf(day)).text).toBe(text);
  await expect(`${linesOf(map)}\n`).toMatchFileSnapshot(`demo-topology/${day}.json`);
});

it.each([
  ["2022-10-01", 5, 2],
  ["2024-01-01", 17, 9],
  ["now", 16, 9],
])("layer 2 of the demo networks is the same in every database: %s", async (day, nodes, edges) => {
  const { text, map } = await mapOf(day, "l2");
  expect(map.counts).toMatchObject({ nodes, edges });
  expect((await mapOf(day, "l2")).text).toBe(text);
  await expect(`${linesOf(map)}\n`).toMatchFileSnapshot(`demo-topology/${day}.l2.json`);
});

it("the map of the demo networks is the same in Mermaid and DOT", async () => {
  const { map } = await mapOf("2025-05-10");
  await expect(mermaidOf(map)).toMatchFileSnapshot("demo-topology/2025-05-10.mmd");
  await expect(graphvizOf(map)).toMatchFileSnapshot("demo-topology/2025-05-10.dot");
});

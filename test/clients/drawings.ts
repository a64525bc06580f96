import assert from "node:assert/strict";
import { test } from "node:test";
import { Graphviz } from "@hpcc-js/wasm-graphviz";
import { JSDOM } from "jsdom";
import { graphvizOf } from "../../src/inventory/topology/graphviz.ts";
import { mermaidOf } from "../../src/inventory/topology/mermaid.ts";
import { hostileMap, hostileNames } from "../inventory/topology/hostile-names.ts";

/* `npm run test:clients`: Mermaid and Graphviz parse maps of devices with hostile names. */

const map = hostileMap(hostileNames);
const hosts = hostileNames.length;

/** The names as drawn: control characters become spaces, and Mermaid drops trailing spaces. */
const names = hostileNames.map((name) => name.replaceAll(/\p{Cc}/gu, " "));

test("Graphviz draws each node, edge and name of a map, and nothing else", async () => {
  const graphviz = await Graphviz.load();
  const text = graphvizOf(map);
  const graph: { objects: { name: string }[]; edges: unknown[] } = JSON.parse(
    graphviz.layout(text, "json", "dot"),
  );
  const isCluster = ({ name }: { name: string }) => name.startsWith("cluster_");
  assert.equal(graph.objects.filter((one) => !isCluster(one)).length, map.nodes.length);
  assert.equal(graph.objects.filter(isCluster).length, hosts);
  assert.equal(graph.edges.length, map.edges.length);
  const { window } = new JSDOM(graphviz.layout(text, "svg", "dot"), {
    contentType: "image/svg+xml",
  });
  const { document } = window;
  assert.equal(document.querySelectorAll("a, script, image, foreignObject").length, 0);
  const drawn = [...document.querySelectorAll("text")].map(({ textContent }) =>
    (textContent ?? "").replaceAll("\u00a0", " "),
  );
  // Graphviz does not interpret numeric references to characters beyond U+FFFF.
  const readable = names.map((name) => name.replaceAll(/[\u{10000}-\u{10ffff}]/gu, "\ufffd"));
  assert.deepEqual(new Set(drawn), new Set(readable));
});

test("Mermaid reads each node, edge and name of a map, and nothing else", async () => {
  const { window } = new JSDOM("");
  // Mermaid sanitizes labels with the DOM of the page that loads it.
  Object.assign(globalThis, { window, document: window.document });
  const { default: mermaid } = await import("mermaid");
  const text = mermaidOf(map);
  assert.deepEqual(await mermaid.parse(text), { diagramType: "flowchart-v2", config: {} });
  const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
  assert.ok("getVertices" in db && "getEdges" in db && "getSubGraphs" in db);
  const flowchart = db as unknown as {
    getVertices(): Map<string, { text: string; link?: string }>;
    getEdges(): unknown[];
    getSubGraphs(): { id: string }[];
  };
  const subgraphs = new Set(flowchart.getSubGraphs().map(({ id }) => id));
  assert.equal(subgraphs.size, hosts);
  // Mermaid also lists a subgraph as a vertex if an edge ends at it.
  const vertices = [...flowchart.getVertices()].flatMap(([id, vertex]) =>
    subgraphs.has(id) ? [] : [vertex],
  );
  assert.equal(vertices.length, map.nodes.length - hosts);
  assert.equal(flowchart.getEdges().length, map.edges.length);
  assert.deepEqual(
    vertices.filter(({ link }) => link !== undefined),
    [],
  );
  // Mermaid keeps numeric character references in this notation until it draws them.
  const read = vertices.map((vertex) =>
    vertex.text.replaceAll(/ﬂ°°(\d+)¶ß/g, (_, code) => String.fromCodePoint(Number(code))),
  );
  assert.deepEqual(new Set(read), new Set(names.map((name) => name.trimEnd())));
});

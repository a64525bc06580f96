import { afterEach, describe, expect, test } from "vitest";
import { graphvizOf } from "../../../src/inventory/topology/graphviz.ts";
import { mermaidBounds, mermaidOf } from "../../../src/inventory/topology/mermaid.ts";
import { openApi } from "../../helpers/api.ts";
import { openInventory } from "../../helpers/inventory.ts";
import { mintOrganization } from "../../helpers/organization.ts";
import { hostileMap, hostileNames } from "./hostile-names.ts";

const label = `"(?:[A-Za-z0-9 ._:/-]|NUMBER)*"`;
const grammarOf = (lines: readonly string[], number: string) =>
  new RegExp(`^(?:${lines.join("|").replaceAll("LABEL", label.replace("NUMBER", number))})$`);

/** Every line that a flowchart consists of. */
const mermaidLine = grammarOf(
  [
    "flowchart LR",
    String.raw` +n\d+(?:\[LABEL\]|\(LABEL\)|\(\[LABEL\]\)|\{\{LABEL\}\})`,
    String.raw`  subgraph n\d+\[LABEL\]`,
    "  end",
    String.raw`  n\d+ (?:---|-->|-\.->|-\.-)(?:\|LABEL\|)? n\d+`,
  ],
  String.raw`#\d+;`,
);

/** Every line that a graph in DOT consists of. */
const graphvizLine = grammarOf(
  [
    String.raw`digraph topology \{`,
    "  rankdir=LR;",
    String.raw`  subgraph cluster_n\d+ \{`,
    String.raw` +n\d+ \[label=LABEL, shape=(?:box|ellipse|component|hexagon)\];`,
    String.raw`  n\d+ -> n\d+ \[(?:label=LABEL, )?(?:dir=none(?:, style=dotted)?|style=bold|style=dashed)\];`,
    String.raw` *\}`,
  ],
  String.raw`&#\d+;`,
);

const linesOf = (text: string) => text.split("\n").slice(0, -1);

describe.each([
  ["Mermaid", mermaidOf, mermaidLine, /#(\d+);/g, (name: string) => name],
  [
    "DOT",
    graphvizOf,
    graphvizLine,
    /&#(\d+);/g,
    // Graphviz reads two backslashes as one, and cannot read characters beyond U+FFFF.
    (name: string) =>
      name.replaceAll("\\", "\\\\").replaceAll(/[\u{10000}-\u{10ffff}]/gu, "\ufffd"),
  ],
] as const)("a map in %s", (_, write, line, number, drawn) => {
  test("contains no text from a device that could be markup", () => {
    const text = write(hostileMap(hostileNames));
    expect(linesOf(text).filter((one) => !line.test(one))).toEqual([]);
    // Only printable ASCII, and no line breaks within a label.
    expect(text).toMatch(/^[\n -~]*$/);
  });

  test("contains every name, with characters encoded as numbers and without control characters", () => {
    const labels = linesOf(write(hostileMap(hostileNames))).flatMap((one) => {
      const quoted = /"(.*?)"/.exec(one)?.[1];
      return quoted === undefined
        ? []
        : [quoted.replaceAll(number, (_all, code) => String.fromCodePoint(Number(code)))];
    });
    const names = hostileNames.map((name) => drawn(name.replaceAll(/\p{Cc}/gu, " ")));
    expect(new Set(labels)).toEqual(new Set(names));
  });

  test("has as many edges as the map, and a name for each node, in the map's order", () => {
    const map = hostileMap(["b", "a"]);
    const text = write(map);
    expect(text.match(/n\d+ (->|-\.->|---|-->|-\.-\|)/g)).toHaveLength(map.edges.length);
    expect(new Set(text.match(/\bn\d+\b/g))).toEqual(new Set(["n1", "n2", "n3", "n4", "n5", "n6"]));
    expect(text).toMatch(/n1\W.*"b"/);
  });
});

const usual = { ...mermaidBounds };
afterEach(() => {
  Object.assign(mermaidBounds, usual);
});

describe("the format of a map", () => {
  const ask = async (accept: string, { key, query = "" }: { key: string; query?: string }) =>
    openApi().send("GET", `/api/v1/topology${query}`, { key, headers: { Accept: accept } });

  test.each([
    ["*/*", "application/json"],
    ["application/*", "application/json"],
    ["text/vnd.mermaid", "text/vnd.mermaid"],
    ["text/*", "text/vnd.mermaid"],
    ["application/vnd.mermaid", "application/vnd.mermaid"],
    ["text/vnd.graphviz, */*;q=0.1", "text/vnd.graphviz"],
  ])("for Accept: %s is %s", async (accept, type) => {
    const { keys } = await mintOrganization();
    const answer = await ask(accept, { key: keys.viewer });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Content-Type")).toBe(type);
    expect(answer.headers.get("Vary")).toContain("Accept");
    expect(answer.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    const etag = answer.headers.get("ETag") ?? "";
    const again = await openApi().send("GET", "/api/v1/topology", {
      key: keys.viewer,
      headers: { Accept: accept, "If-None-Match": etag },
    });
    expect(again).toMatchObject({ status: 304, text: "" });
    expect(again.headers.get("Vary")).toContain("Accept");
    // Each format has a different tag.
    const json = await ask("*/*", { key: keys.viewer });
    expect(json.headers.get("ETag") === etag).toBe(type === "application/json");
  });

  test("cannot be any other", async () => {
    const { keys } = await mintOrganization();
    expect(await ask("text/csv", { key: keys.viewer })).toMatchObject({
      status: 406,
      body: { code: "request_not_acceptable" },
    });
  });

  test("can be Mermaid up to Mermaid's own drawing limits", async () => {
    const { create, organization, network_id } = await openInventory();
    await create("subnets", { cidr: "10.0.0.0/24", name: "Floor" });
    await create("hosts", {
      name: "host",
      ip_addresses: [{ ip_address: "10.0.0.1" }, { ip_address: "10.0.0.2" }],
    });
    const key = organization.keys.viewer;
    const query = `?network_id=${network_id}`;
    const whole = await ask("text/vnd.mermaid", { key, query });
    const refused = {
      status: 409,
      body: { code: "topology_too_large", params: { hosts: 1, edges: 2 } },
    };
    Object.assign(mermaidBounds, { edges: 2, characters: whole.text.length });
    expect(await ask("text/vnd.mermaid", { key, query })).toMatchObject({ status: 200 });
    mermaidBounds.edges = 1;
    expect(await ask("text/vnd.mermaid", { key, query })).toMatchObject(refused);
    expect(await ask("text/vnd.graphviz", { key, query })).toMatchObject({ status: 200 });
    mermaidBounds.edges = 2;
    mermaidBounds.characters -= 1;
    expect(await ask("application/vnd.mermaid", { key, query })).toMatchObject(refused);
  });
});

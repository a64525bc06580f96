import { childrenOf, escaped, namesOf, textOf } from "./labels.ts";
import type { Edge, Node, Topology } from "./model.ts";

/**
 * A character's numeric reference. Graphviz interprets escapes such as `\N` after it has replaced
 * numeric references, and replaces only those to characters in the Basic Multilingual Plane.
 */
const numbered = (code: number): string =>
  code === 0x5c ? "&#92;&#92;" : `&#${code > 0xffff ? 0xfffd : code};`;

const quoted = (text: string) => `"${escaped(text, numbered)}"`;

const shapes = {
  Host: "box",
  Subnet: "ellipse",
  Service: "component",
  Unknown: "hexagon",
} as const satisfies Record<Node["type"], string>;

const styles = {
  Address: "dir=none",
  Gateway: "style=bold",
  RunsOn: "style=dashed",
  Link: "dir=none",
  Adjacent: "dir=none",
  Learned: "dir=none, style=dotted",
} as const satisfies Record<Edge["type"], string>;

/**
 * Writes a map as a graph in DOT. A node with children is drawn as a cluster that contains them.
 */
export function graphvizOf(map: Topology): string {
  const names = namesOf(map);
  const children = childrenOf(map.nodes);
  const nodeLine = (node: Node) =>
    `${names.get(node.id)} [label=${quoted(textOf(node))}, shape=${shapes[node.type]}];`;
  const linesOf = (node: Node): string[] => {
    const own = children.get(node.id);
    return own
      ? [
          `  subgraph cluster_${names.get(node.id)} {`,
          ...[node, ...own].map((one) => `    ${nodeLine(one)}`),
          "  }",
        ]
      : [`  ${nodeLine(node)}`];
  };
  const edgeLine = ({ type, source, target, label }: Edge) => {
    const attributes = [...(label === null ? [] : [`label=${quoted(label)}`]), styles[type]];
    return `  ${names.get(source)} -> ${names.get(target)} [${attributes.join(", ")}];`;
  };
  return `${[
    "digraph topology {",
    "  rankdir=LR;",
    ...map.nodes.filter(({ parent }) => parent === null).flatMap(linesOf),
    ...map.edges.map(edgeLine),
    "}",
  ].join("\n")}\n`;
}

import { childrenOf, escaped, namesOf, textOf } from "./labels.ts";
import { mapTooLarge } from "./load.ts";
import type { Edge, Node, Topology } from "./model.ts";

/** Mermaid's default limits: the number of edges, and the number of characters of text. */
export const mermaidBounds = { edges: 500, characters: 50_000 };

const quoted = (text: string) => `"${escaped(text, (code) => `#${code};`)}"`;

/** The shape of a node, around its text. */
const shapes = {
  Host: ["[", "]"],
  Subnet: ["([", "])"],
  Service: ["(", ")"],
  Unknown: ["{{", "}}"],
} as const satisfies Record<Node["type"], readonly [string, string]>;

const lines = {
  Address: "---",
  Gateway: "-->",
  RunsOn: "-.->",
  Link: "---",
  Adjacent: "---",
  Learned: "-.-",
} as const satisfies Record<Edge["type"], string>;

/**
 * Writes a map as a Mermaid flowchart. Services are drawn inside their host. Mermaid cannot draw an
 * edge between a node and the node that contains it, so nodes that are connected to their parent,
 * such as hosts to their subnet, are drawn beside it.
 */
export function mermaidOf(map: Topology): string {
  const names = namesOf(map);
  const connected = new Set(map.edges.map(({ source, target }) => `${source} ${target}`));
  const isInside = ({ id, parent }: Node) =>
    parent !== null && !connected.has(`${id} ${parent}`) && !connected.has(`${parent} ${id}`);
  const children = childrenOf(map.nodes.filter(isInside));
  const nodeLine = (node: Node) => {
    const [opening, closing] = shapes[node.type];
    return `${names.get(node.id)}${opening}${quoted(textOf(node))}${closing}`;
  };
  const linesOf = (node: Node): string[] => {
    const own = children.get(node.id);
    return own
      ? [
          `  subgraph ${names.get(node.id)}[${quoted(textOf(node))}]`,
          ...own.map((child) => `    ${nodeLine(child)}`),
          "  end",
        ]
      : [`  ${nodeLine(node)}`];
  };
  const edgeLine = ({ type, source, target, label }: Edge) =>
    `  ${names.get(source)} ${lines[type]}${label === null ? "" : `|${quoted(label)}|`} ${names.get(target)}`;
  return `${[
    "flowchart LR",
    ...map.nodes.filter((node) => !isInside(node)).flatMap(linesOf),
    ...map.edges.map(edgeLine),
  ].join("\n")}\n`;
}

/**
 * {@link mermaidOf}, within the limits of Mermaid.
 * @throws {ApiError} 409 if the map is too large
 */
export function smallMermaidOf(map: Topology): string {
  const text = mermaidOf(map);
  if (map.edges.length > mermaidBounds.edges || text.length > mermaidBounds.characters) {
    throw mapTooLarge(map.counts);
  }
  return text;
}

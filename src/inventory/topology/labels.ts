import type { Node, Topology } from "./model.ts";

/**
 * In a device's text, writes every character that could be markup as a numeric reference:
 * everything but ASCII letters, digits, spaces and `._:/-`. Control characters become spaces, since
 * programs would copy them to SVG, where they are invalid.
 * @param numbered returns a character's numeric reference, such as `#34;`
 */
export const escaped = (text: string, numbered: (code: number) => string): string =>
  text
    .replaceAll(/\p{Cc}/gu, " ")
    .replaceAll(/[^A-Za-z0-9 ._:/-]/gu, (character) => numbered(character.codePointAt(0) ?? 0));

/** The text of a node: its label and, for a subnet, its block. */
export const textOf = ({ type, label, details }: Node): string =>
  type === "Subnet" && label !== details.cidr ? `${label} ${details.cidr}` : label;

/** The names of nodes in the text formats, by id: `n1`, `n2`, … in the order of the nodes. */
export const namesOf = ({ nodes }: Topology): ReadonlyMap<string, string> =>
  new Map(nodes.map(({ id }, index) => [id, `n${index + 1}`]));

/** The nodes that are drawn inside another node, by the id of the outer node. */
export const childrenOf = (nodes: readonly Node[]): ReadonlyMap<string, readonly Node[]> =>
  Map.groupBy(
    nodes.filter(({ parent }) => parent !== null),
    ({ parent }) => parent ?? "",
  );

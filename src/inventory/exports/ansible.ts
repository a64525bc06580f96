import type { NextText } from "../../http/list/formats/text.ts";
import { reachable } from "./addresses.ts";
import type { ExportedHost } from "./model.ts";
import { groupName, UniqueNames } from "./names.ts";

/** An inventory in Ansible's format: its groups and the variables of its hosts. */
export type AnsibleInventory = Record<string, { hosts?: string[]; hostvars?: object }>;

/**
 * Maximum size of an inventory's groups. A group is one list in JSON, so its members are kept as
 * numbers, and group names as text, until the last host is written: about 12 MB of members and 6 MB
 * of groups.
 */
export const groupBounds = { members: 2_000_000, groups: 20_000 };

/** The approximate length of a piece of the groups' text, in characters. */
const pieceLength = 128 * 1024;

/** The number of members that are serialized at once. */
const membersAtOnce = 1000;

/**
 * Serializes a value so that Ansible does not interpret any text in it as a template. Ansible
 * renders the values of an inventory, so a device with the name `{{ lookup(…) }}` would run code on
 * the controller. The same applies to text that starts with `#jinja2:`, which sets other delimiters
 * (`ansible/_internal/_templating/_jinja_bits.py`, JINJA2_OVERRIDE). In JSON, `{` is followed by a
 * quote or `}` unless it is part of a string.
 */
const plainJson = (value: unknown): string =>
  JSON.stringify(value).replace(/\{(?=[{%#])|"#(?=jinja2:)/g, "$& ");

/**
 * Returns the variables of a host: its address, and a single variable with all other data, so that
 * no field overrides one of Ansible's variables.
 */
function variablesOf(host: ExportedHost): object {
  const [address] = reachable(host.addresses);
  return {
    ...(address !== undefined && { ansible_host: address }),
    network_inventory: host,
  };
}

const groupsOf = ({ tags, network, services }: ExportedHost): Set<string> =>
  new Set([
    groupName("network", network),
    ...tags.map((tag) => groupName("tag", tag)),
    ...services.map(({ definition }) => groupName("service", definition)),
  ]);

/**
 * Formats the groups of an inventory, sorted, in pieces: a group of all hosts is too large to be
 * serialized at once.
 * @param groups the indexes of the members in `names`, by group
 */
function* textOfGroups(
  groups: ReadonlyMap<string, readonly number[]>,
  names: readonly string[],
): Generator<string> {
  let text = "";
  for (const group of [...groups.keys()].sort()) {
    const members = groups.get(group) ?? [];
    text += `,${JSON.stringify(group)}:{"hosts":`;
    for (let at = 0; at < members.length; at += membersAtOnce) {
      const some = members.slice(at, at + membersAtOnce).map((position) => names[position]);
      text += (at === 0 ? "[" : ",") + JSON.stringify(some).slice(1, -1);
      if (text.length >= pieceLength) {
        yield text;
        text = "";
      }
    }
    text += "]}";
  }
  yield `${text}}`;
}

/**
 * Formats hosts as a dynamic Ansible inventory, in the format of inventory scripts: first the
 * hosts' variables, as the hosts are read, then the groups.
 * @param next returns the next hosts, or null after the last
 * @throws {Error} while pieces are read, if the groups exceed {@link groupBounds}
 * @see https://docs.ansible.com/ansible/latest/dev_guide/developing_inventory.html
 */
export function ansibleInventory(next: () => Promise<ExportedHost[] | null>): NextText {
  const unique = new UniqueNames();
  const names: string[] = [];
  const groups = new Map<string, number[]>();
  let members = 0;
  let before = '{"_meta":{"hostvars":{';
  let pieces: Generator<string> | null = null;
  const variables = (hosts: ExportedHost[]): string => {
    let text = "";
    for (const host of hosts) {
      const name = unique.of(host);
      const position = names.push(name) - 1;
      for (const group of groupsOf(host)) {
        members++;
        const positions = groups.get(group);
        if (positions) {
          positions.push(position);
        } else {
          groups.set(group, [position]);
        }
      }
      text += `${before}${JSON.stringify(name)}:${plainJson(variablesOf(host))}`;
      before = ",";
    }
    if (members > groupBounds.members || groups.size > groupBounds.groups) {
      throw new Error("The groups of the inventory are too large.");
    }
    return text;
  };
  return async () => {
    if (pieces === null) {
      const hosts = await next();
      if (hosts !== null) {
        return variables(hosts);
      }
      pieces = textOfGroups(groups, names);
      return before === "," ? "}}" : `${before}}}`;
    }
    const piece = pieces.next();
    return piece.done ? null : piece.value;
  };
}

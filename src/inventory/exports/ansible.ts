import type { NextText } from "../../http/list/formats/text.ts";
import { reachable } from "./addresses.ts";
import type { ExportedHost } from "./model.ts";
import { groupName, UniqueNames } from "./names.ts";

/** The inventory as Ansible reads it: its groups, and beside them the variables of hosts. */
export type AnsibleInventory = Record<string, { hosts?: string[]; hostvars?: object }>;

/**
 * What the groups of an inventory hold at most. Members are held as numbers and names of groups as text until the last
 * host has been sent, since a group is one list in JSON: about 12 MB of members and 6 MB of groups.
 */
export const groupBounds = { members: 2_000_000, groups: 20_000 };

/** About how many characters of groups are sent at once. */
const pieceLength = 128 * 1024;

/** How many members are written at once. */
const membersAtOnce = 1000;

/**
 * A value in JSON of which Ansible takes no text for a template: it renders what an inventory says, so a device that
 * calls itself `{{ lookup(…) }}` would run it on the controller. So would one whose text begins with `#jinja2:`, which
 * sets other delimiters (`ansible/_internal/_templating/_jinja_bits.py`, JINJA2_OVERRIDE). In JSON, `{` is followed by a
 * quote or `}` unless it is part of a text.
 */
const plainJson = (value: unknown): string =>
  JSON.stringify(value).replace(/\{(?=[{%#])|"#(?=jinja2:)/g, "$& ");

/** The variables of a host: how to reach it, and all else in one, so that none takes the place of Ansible's own. */
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
 * The groups of an inventory, sorted, in pieces: a group of all hosts is too large to be written at once.
 * @param groups the positions of their members among `names`
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
 * Hosts as a dynamic inventory of Ansible, in the form of its scripts: variables as they come, then the groups.
 * @param next the next hosts, or null after the last
 * @throws {Error} from a piece, where groups hold more than {@link groupBounds}
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
        const known = groups.get(group);
        if (known) {
          known.push(position);
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

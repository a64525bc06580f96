import type { NextText } from "../../http/list/text.ts";
import { reachable } from "./addresses.ts";
import type { ExportedHost } from "./model.ts";
import { groupName, UniqueNames } from "./names.ts";

/** The inventory as Ansible reads it: its groups, and beside them the variables of hosts. */
export type AnsibleInventory = Record<string, { hosts?: string[]; hostvars?: object }>;

/** How many members all groups together have at most: they are held until the last host has been sent. */
export const maximumMembers = 2_000_000;

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
 * Hosts as a dynamic inventory of Ansible, in the form of its scripts: variables as they come, then the groups.
 * @param next the next hosts, or null after the last
 * @throws {Error} from a piece, where groups have more than {@link maximumMembers}
 * @see https://docs.ansible.com/ansible/latest/dev_guide/developing_inventory.html
 */
export function ansibleInventory(next: () => Promise<ExportedHost[] | null>): NextText {
  const names = new UniqueNames();
  const groups = new Map<string, string[]>();
  let members = 0;
  let before = '{"_meta":{"hostvars":{';
  let left: [string, string[]][] | null = null;
  const variables = (hosts: ExportedHost[]): string => {
    let text = "";
    for (const host of hosts) {
      const name = names.of(host);
      for (const group of groupsOf(host)) {
        members++;
        const known = groups.get(group);
        if (known) {
          known.push(name);
        } else {
          groups.set(group, [name]);
        }
      }
      text += `${before}${JSON.stringify(name)}:${plainJson(variablesOf(host))}`;
      before = ",";
    }
    if (members > maximumMembers) {
      throw new Error("The groups of the inventory have too many members.");
    }
    return text;
  };
  return async () => {
    if (left === null) {
      const hosts = await next();
      if (hosts !== null) {
        return variables(hosts);
      }
      left = [...groups].sort(([one], [other]) => (one < other ? -1 : 1));
      const start = before === "," ? "" : before;
      return left.length === 0 ? `${start}}}}` : `${start}}}`;
    }
    const group = left.shift();
    if (!group) {
      return null;
    }
    const [name, hosts] = group;
    return `,${JSON.stringify(name)}:${JSON.stringify({ hosts })}${left.length === 0 ? "}" : ""}`;
  };
}

/**
 * Names with a special meaning for a program that reads an export. A device chooses its own name,
 * so no export may contain one of these as the name of a host (API contract, section 13).
 *
 * Each pattern applies to a {@link folded} name.
 */

/** Names with a special meaning for a machine, its resolver or its platform. */
const ofMachines = [
  // RFC 6761, section 6.3; /etc/hosts of Debian (netbase) and of Fedora (setup: localhost4,
  // localhost6.localdomain6).
  /^localhost/,
  /(^|\.)localhost(\.|$)/,
  /^localdomain\d?$/,
  /^loopback$/,
  // /etc/hosts of Debian: ip6-loopback, ip6-allnodes; of openSUSE: ipv6-localhost.
  /^ipv?6-/,
  // /etc/hosts of macOS; hosts(5) of Solaris, whose syslog writes to `loghost`.
  /^(broadcasthost|loghost)$/,
  // nss-myhostname(8) of systemd.
  /^_(gateway|outbound|localdnsstub|localdnsproxy)$/,
  // ICANN resolution 2024.07.29.06: the top-level domain reserved for private networks.
  // host.docker.internal is the machine that runs Docker; metadata.google.internal issues
  // credentials to Google Cloud machines.
  /(^|\.)internal$/,
  // Short names of the same services: Google Cloud's "metadata", and EC2's "instance-data" in
  // cloud-init.
  /^(metadata|instance-data)$/,
  // Windows DNS Server, global query block list: clients use hosts with these names as their proxy
  // or router.
  /^(wpad|isatap)(\.|$)/,
  // Windows parses such a name as the IPv6 address that it spells (MS-UNC, 2.2.1).
  /(^|\.)ipv6-literal\.net$/,
  // RFC 5890, section 2.3.2.1: a Punycode name can turn into any name in a reader that decodes it.
  /(^|\.)xn--/,
  // inet_aton(3) and the host parser of the WHATWG URL Standard: 127.1, 0x7f.1, 0177.0.0.1 and
  // 2130706433 are addresses.
  /^(0x[\da-f]*|\d+)(\.(0x[\da-f]*|\d+))*$/,
];

/** Names with a special meaning for Ansible, Oxidized, or the file systems that they write to. */
const ofInventories = [
  // Groups that Ansible always has (ansible/inventory/data.py): the variables of a host with such a
  // name would apply to all hosts.
  /^(all|ungrouped)$/,
  // Ansible documentation, "Special variables".
  /^(hostvars|groups?|group_names|omit|environment|play_hosts|playbook_dir|role_names?|role_path)$/,
  /^(ansible|inventory)_/,
  // Keys of an inventory (ansible/plugins/inventory/script.py), and keys that mark encrypted or
  // typed values in JSON (ansible/_internal/_json): a host with the name `__ansible_vault` would
  // abort the parsing of the inventory.
  /^(_meta|hosts|vars|children)$/,
  /^__ansible/,
  // Ansible reads the variables of the host `nas` from host_vars/nas.yml, and those of a host
  // `nas.yml` from the same file (ansible/plugins/vars/host_group_vars.py,
  // YAML_FILENAME_EXTENSIONS).
  /\.(yml|yaml|json)$/,
  // The prefixes of the export's groups.
  /^(network|tag|service)_/,
  // Windows device names (Win32, "Naming Files"): an Oxidized repository may be checked out on
  // Windows.
  /^(con|prn|aux|nul|com\d|lpt\d)$/,
];

/**
 * Normalizes a name the way a lenient reader might when comparing names: ignores case, width,
 * invisible characters, and the trailing dot of a fully qualified name.
 */
export const folded = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}+/gu, "")
    .toLowerCase()
    .replace(/(?<!\.)\.+$/, "");

const isIn = (patterns: readonly RegExp[], name: string): boolean =>
  patterns.some((pattern) => pattern.test(name));

/** True if a machine interprets a name as itself, a service of its platform, or an address. */
export const isReservedForMachines = (name: string): boolean => isIn(ofMachines, folded(name));

/** True if an inventory must not contain a host with this name. */
export const isReservedInInventories = (name: string): boolean => {
  const plain = folded(name);
  return isIn(ofMachines, plain) || isIn(ofInventories, plain);
};

import type { ExportedHost } from "../../src/inventory/exports/model.ts";

/**
 * Text that has a special meaning to programs, platforms or file systems, and characters that are
 * special in file formats.
 */
const material = [
  ...[
    "all",
    "ungrouped",
    "localhost",
    "_meta",
    "hostvars",
    "groups",
    "group_names",
    "omit",
    "vars",
  ],
  ...[
    "hosts",
    "children",
    "__ansible_vault",
    "__ansible_unsafe",
    "inventory_hostname",
    "ansible_host",
  ],
  ...[
    "localhost4",
    "localhost6.localdomain6",
    "me.localhost",
    "loopback",
    "localdomain",
    "ip6-all",
  ],
  ...["broadcasthost", "host.docker.internal", "metadata.google.internal", "wpad", "wpad.lan"],
  ...["127.0.0.1", "127.1", "0x7f.1", "2130706433", "0177.0.0.1", "1.2", "::1", "fe80::1%eth0"],
  ...[
    "network_",
    "tag_",
    "service_",
    "network_Home",
    "nas",
    "nas.yml",
    ".git",
    "..",
    "con",
    "nul.txt",
  ],
  ...[
    "{{",
    "}}",
    "{%",
    "%}",
    "{#",
    "#}",
    "{",
    "#jinja2:",
    "variable_start_string:'[['",
    "[[",
    "]]",
  ],
  ...[
    "!",
    "&",
    "~",
    "*",
    "[0:9]",
    ",",
    ";",
    ":",
    "@",
    "-",
    "--",
    "=",
    "+",
    "＝",
    "'",
    '"',
    "\\",
    "/",
    "#",
  ],
  ...[
    "\n",
    "\r\n",
    "\t",
    "\u2028",
    "\u0085",
    " ",
    ".",
    "_",
    "|",
    "$(id)",
    "`id`",
    "xn--",
    "xn--mnchen-3ya",
  ],
  ...[
    "\u200B",
    "\u00AD",
    "\uFE0F",
    "\u0301",
    "\u202E",
    "ｌｏｃａｌ",
    "ﬁ",
    "ſ",
    "İ",
    "ß",
    "打印机",
    "🖨",
    "Küche",
  ],
];

/**
 * Returns a generator of numbers from 0 (inclusive) to 1 (exclusive), determined by a seed
 * (mulberry32).
 */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Returns a name from the material: a single string, or several with characters between them,
 * sometimes in upper case.
 */
function nameFrom(next: () => number): string {
  const any = () => material[Math.floor(next() * material.length)] ?? "";
  const kind = next();
  const name =
    kind < 0.2
      ? any()
      : Array.from({ length: 1 + Math.floor(next() * 12) }, () =>
          next() < 0.3 ? String.fromCodePoint(33 + Math.floor(next() * 700)) : any(),
        ).join("");
  // As the service stores it: trimmed, well-formed, with 1 to 100 characters.
  const cased = next() < 0.2 ? name.toUpperCase() : name;
  return [...cased.trim()].slice(0, 100).join("").trim() || "x";
}

/**
 * Generates hosts whose own names, services, networks and tags are determined by a seed. Each has a
 * distinct address in 10.0.0.0/8.
 * @param characters the minimum total number of characters in all names
 */
export function generatedHosts(characters: number, seed: number): ExportedHost[] {
  const next = random(seed);
  const hosts: ExportedHost[] = [];
  // Hosts share these names in groups of ten: an inventory has fewer groups than hosts.
  let [network, tag, service] = ["", "", ""];
  for (let length = 0; length < characters; ) {
    const number = hosts.length + 1;
    const [name, hostname] = [nameFrom(next), nameFrom(next)];
    length += name.length + hostname.length;
    if (number % 10 === 1) {
      [network, tag, service] = [nameFrom(next), nameFrom(next), nameFrom(next)];
      length += network.length + tag.length + service.length;
    }
    hosts.push({
      id: `0d5c7c1e-2f7b-4c55-9d57-${number.toString(16).padStart(12, "0")}`,
      name,
      hostname,
      operating_system: name,
      manufacturer: hostname,
      model: null,
      network_id: "277af32d-eb94-4677-88b1-472a3ec07051",
      network,
      tags: [tag],
      addresses: [`10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`],
      ports: ["9100/Tcp"],
      services: [{ name: service, definition: service, ports: ["9100/Tcp"] }],
    });
  }
  return hosts;
}

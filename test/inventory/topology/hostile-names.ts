import type { Topology } from "../../../src/inventory/topology/model.ts";

/** Names that devices could choose in order to change a drawing. */
export const hostileNames: readonly string[] = [
  'a"]; click n1 "https://example.com"',
  "a]\n  n1 --> n2",
  "%%{init: {'theme': 'dark'}}%%",
  "click n1 callback",
  "<img src=x onerror=alert(1)>",
  "<script>alert(1)</script>",
  "&lt;b&gt; #lt; #60; &#60;",
  "end",
  "`**bold** __bold__ [link](https://example.com)`",
  "line\u2028separator\u2029and\u0085next\r\n\ttab\v\f",
  "\u202egnp.exe \u200f\u05d0\u05d1",
  "\\N \\G \\L \\\\",
  '}; node [URL="javascript:alert(1)"]; {',
  "$$x^2$$ fa:fa-bolt @{ shape: circle }",
  "日本 🖥 é ß",
  "|a|b|{c}",
];

/**
 * A map of hosts with these names, each with a service of the same name that runs on the next
 * host's service, and each connected to an unknown device of the same name.
 */
export function hostileMap(names: readonly string[]): Topology {
  const network_id = crypto.randomUUID();
  const ids = names.map((_, index) => String(index).padStart(4, "0"));
  return {
    at: null,
    network_ids: [network_id],
    layer: "services",
    detail: "hosts",
    nodes: [
      ...names.map((label, index): Topology["nodes"][number] => ({
        id: `host:${ids[index]}`,
        type: "Host",
        record: { entity: "Host", id: ids[index] ?? "" },
        label,
        network_id,
        parent: null,
        details: { addresses: [], services: 1, operating_system: null },
      })),
      ...names.map((label, index): Topology["nodes"][number] => ({
        id: `service:${ids[index]}`,
        type: "Service",
        record: { entity: "Service", id: ids[index] ?? "" },
        label,
        network_id,
        parent: `host:${ids[index]}`,
        details: { service_definition: label, version: null, is_open: true },
      })),
      ...names.map((label, index): Topology["nodes"][number] => ({
        id: `unknown:${ids[index]}`,
        type: "Unknown",
        record: null,
        label,
        network_id,
        parent: null,
        details: {
          chassis_id: { subtype: "LocallyAssigned", value: label },
          system_name: label,
          system_description: null,
          management_addresses: [],
        },
      })),
    ],
    edges: names.flatMap((label, index): Topology["edges"] => [
      {
        id: `runs-on:service:${ids[index]}`,
        type: "RunsOn",
        source: `service:${ids[index]}`,
        target: `service:${ids[(index + 1) % ids.length]}`,
        basis: "recorded",
        label,
        evidence: [{ entity: "Service", id: ids[index] ?? "" }],
      },
      {
        id: `adjacent:${ids[index]}:${ids[index]}`,
        type: (["Adjacent", "Learned", "Link"] as const)[index % 3] ?? "Link",
        source: `host:${ids[index]}`,
        target: `unknown:${ids[index]}`,
        basis: "reported",
        label,
        evidence: [{ entity: "Neighbor", id: ids[index] ?? "", says: [] }],
      },
    ]),
    counts: {
      nodes: 3 * names.length,
      edges: 2 * names.length,
      hosts: names.length,
      hosts_in_no_subnet: 0,
    },
  };
}

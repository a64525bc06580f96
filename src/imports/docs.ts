import { describeGroup, describeOperation } from "../openapi/describe.ts";
import { createHostImport, createImport } from "./create.ts";
import { type ImportResult, importResult } from "./model.ts";

const tag = describeGroup({
  name: "Discovery",
  description: "Imports and scans: observed hosts and services become records with history.",
});

const dryRun = {
  description: "`true`: changes nothing, and returns the outcome that each host would have.",
  example: true,
};

/** The result of an import about one host. */
const resultOf = (
  host: Pick<ImportResult["hosts"][number], "outcome" | "host_id" | "matched_by">,
) => ({
  discovery_id: "5b0a3bb5-5ae6-4a3c-8f0a-33a3a4c5a4b1",
  dry_run: false,
  counts: { created: 0, changed: 0, unchanged: 0, failed: 0, [host.outcome]: 1 },
  hosts: [{ index: 0, ...host, issues: [] }],
});

describeOperation(createImport, {
  operationId: "create_import",
  tag,
  summary: "Import a report about a network",
  description:
    "Imports a report of the hosts observed on a network, up to 8 MiB, in one transaction: as JSON, or as the XML of `nmap -oX` and masscan, in its declared encoding. Each host is matched by its `id`, else by its `external_id`, else by an address in the same subnet, else by a MAC address; an unmatched host is created. Well-known services get the names that daemons use: `Snmp` becomes `SNMP`, `DnsUdp` becomes `DNS Server`. Reported values replace only empty or discovered fields; manual input is kept. An unchanged host gets a later `last_seen_at`, but no new version. If a port inside `scanned_ports` is not among the open `ports`, the bindings that discovery created for it end. Ports that were not scanned, or did not respond, are never changed. An interface that is missing from `interfaces` ends only if `interfaces_complete` is true, and a neighbor that is missing from its interface only if `complete` contains its protocol.\n\nAn invalid detail, such as a malformed MAC address, is ignored and listed in the issues of its host. A host without an address, or a host that contradicts another host of the report, is `failed` with its issues; the other hosts are imported. Importing a report again is safe, so the operation does not accept an `Idempotency-Key`.\n\nIf an import takes longer than 24 seconds, the response is 503 with the advice `send_less`: split the report into reports of at most 1,000 hosts each, with the same `observed_at` and their own scanned ports. Keep hosts that share an address or a MAC address together.",
  parameters: {
    id: { description: "The network.", example: "277af32d-eb94-4677-88b1-472a3ec07051" },
    dry_run: dryRun,
  },
  data: importResult,
  response: "The outcome of each host.",
  example: {
    body: {
      source: { name: "inventory-script", version: "1.2" },
      observed_at: "2025-04-01T08:00:00Z",
      hosts: [
        {
          hostname: "printer.example.com",
          addresses: [{ ip_address: "192.168.1.30", mac_address: "AA:BB:CC:00:11:22" }],
          operating_system: "Linux 5.10",
          external_id: "cmdb-1043",
          metadata: { rack: "A3" },
          ports: [
            {
              number: 631,
              protocol: "Tcp",
              service: { name: "Print Server", definition: "CUPS", version: "CUPS 2.4" },
            },
          ],
          scanned_ports: [{ protocol: "Tcp", from: 1, to: 1024 }],
          interfaces: [
            {
              if_index: 2,
              name: "eth0",
              speed_bps: 100_000_000,
              ip_addresses: ["192.168.1.30"],
              neighbors: [
                {
                  protocol: "Lldp",
                  chassis_id: { subtype: "MacAddress", value: "02:5E:00:10:00:03" },
                  port_id: { subtype: "InterfaceName", value: "gi1/0/12" },
                  system_name: "attic-switch",
                },
              ],
              complete: ["lldp"],
            },
          ],
        },
      ],
    },
    data: resultOf({
      outcome: "created",
      host_id: "d6ee319b-1e7b-4e92-8a89-04fd53ea0765",
      matched_by: null,
    }),
  },
  errorExamples: {
    entity_not_found: { entity: "Network", id: "277af32d-eb94-4677-88b1-472a3ec07051" },
    request_too_large: { max_bytes: 8_388_608 },
    request_unsupported_media_type: {
      media_types: ["application/json", "application/xml", "text/xml"],
    },
  },
});

describeOperation(createHostImport, {
  operationId: "create_host_import",
  tag,
  summary: "Import the neighbors of a host",
  description:
    "Imports the output of `lldpcli show neighbors -f json`, run on the host: its neighbors by LLDP and CDP. An interface whose name is not that of exactly one interface of the host is ignored, and listed in `issues`. An LLDP or CDP neighbor ends only if `complete` is true. Importing the same output again is safe.",
  parameters: {
    id: { description: "The host.", example: "5e868872-aae4-4cb7-8649-a431f8319502" },
    dry_run: dryRun,
    complete: {
      description:
        "`true`: the interfaces in the output have no other neighbors by the same protocol.",
      example: true,
    },
  },
  data: importResult,
  response: "The outcome of the host.",
  example: {
    body: {
      lldp: {
        interface: {
          eth0: {
            via: "LLDP",
            chassis: {
              router: {
                id: { type: "mac", value: "02:b8:56:5e:df:0b" },
                descr: "OPNsense 25.7",
                "mgmt-ip": "192.168.1.1",
              },
            },
            port: { id: { type: "ifname", value: "eth0" }, descr: "LAN" },
          },
        },
      },
    },
    data: resultOf({
      outcome: "changed",
      host_id: "5e868872-aae4-4cb7-8649-a431f8319502",
      matched_by: "id",
    }),
  },
  errorExamples: {
    entity_not_found: { entity: "Host", id: "5e868872-aae4-4cb7-8649-a431f8319502" },
  },
});

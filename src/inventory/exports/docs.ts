import * as z from "zod";
import { describeGroup, describeOperation } from "../../openapi/describe.ts";
import { tagFilter } from "../describe-filters.ts";
import type { OxidizedNode } from "./oxidized.ts";
import type { TargetGroup } from "./prometheus.ts";
import { ansible, exportBounds, hostsFile, oxidized, prometheus } from "./routes.ts";

const tag = describeGroup({
  name: "Exports",
  description:
    "The hosts with their open ports and services, in the formats of other programs: without the envelope, and all as of one instant.",
});

const network_id = "277af32d-eb94-4677-88b1-472a3ec07051";
const maximumHosts = 2_147_483_647;

const parameters = {
  network_id: { description: "Only records on this network.", example: network_id },
  ...tagFilter,
  service: {
    description: "Only hosts with an open service of this name or definition.",
    example: "Samba",
  },
  port: { description: "Only hosts on which this port is open.", example: "445" },
  stale: {
    description: "`true`: only stale hosts; `false`: only hosts that are not stale.",
    example: false,
  },
};

const group = z
  .object({
    targets: z.array(z.string().max(64)).max(65_535),
    labels: z.record(z.string().max(64), z.string().max(2_000_000)),
  })
  .meta({ id: "TargetGroup", description: "A host as a group of targets." });

const groups: TargetGroup = {
  targets: ["192.168.1.10"],
  labels: {
    __meta_inventory_id: "e1e74882-b978-405e-89f9-922e1a30e63b",
    __meta_inventory_name: "nas",
    __meta_inventory_hostname: "nas.home.example.com",
    __meta_inventory_network: "Home",
    __meta_inventory_network_id: network_id,
    __meta_inventory_operating_system: "DSM 7.2.2",
    __meta_inventory_manufacturer: "",
    __meta_inventory_model: "",
    __meta_inventory_addresses: ",192.168.1.10,",
    __meta_inventory_ports: ",445/Tcp,",
    __meta_inventory_services: ",Samba,",
    __meta_inventory_tags: ",Storage,",
  },
};

describeOperation(prometheus, {
  operationId: "export_prometheus",
  tag,
  summary: "Export targets for Prometheus",
  description:
    "Exports a group of targets for each host, for `http_sd_configs`. The target is the host's first address that is reachable from other machines. If you send `port` or `service`, the targets are that port, or the service's TCP ports, at this address. Labels begin with `__meta_inventory_`. Multiple values are enclosed in and separated by commas: `,web,dmz,`; commas and line breaks in such values become `_`.",
  parameters,
  data: z.array(group).max(maximumHosts),
  response: "The bare array that Prometheus reads.",
  example: { data: [groups] },
});

const node = z
  .object({
    name: z.string().max(200),
    ip: z.string().max(39).optional(),
    model: z.string().max(255).optional(),
    group: z.string().max(100),
  })
  .meta({ id: "OxidizedNode", description: "A host as an Oxidized node." });

const nodeExample: OxidizedNode = {
  name: "nas",
  ip: "192.168.1.10",
  model: "DSM 7.2.2",
  group: "Home",
};

describeOperation(oxidized, {
  operationId: "export_oxidized",
  tag,
  summary: "Export nodes for Oxidized",
  description:
    "Exports a node for each host, for the source `http` with `map: {name: name, ip: ip, model: model, group: group}`. `model` is the operating system, else the manufacturer: map it to an Oxidized model with `model_map`. Names are unique and are used as file names: characters other than letters, digits, dots, hyphens and `_` become `_`, and a reserved name is followed by a part of the id.",
  parameters,
  data: z.array(node).max(exportBounds.hosts),
  response: "The bare array that Oxidized reads.",
  example: { data: [nodeExample] },
});

describeOperation(ansible, {
  operationId: "export_ansible",
  tag,
  summary: "Export an inventory for Ansible",
  description:
    "Exports a dynamic inventory: `_meta.hostvars`, and groups `network_…`, `tag_…` and `service_…`. `ansible_host` is the host's first address that is reachable from other machines; the variable `network_inventory` contains everything else. Host names are unique; a reserved one, such as `localhost` or `all`, is followed by a part of the id. Group names contain only letters, digits and `_`; if the original has other characters besides spaces, dots and hyphens, the name ends with a digest. Text is never interpreted as a template: `{{` becomes `{ {`, and `#jinja2:` at the beginning becomes `# jinja2:`.",
  parameters,
  data: z.record(z.string().max(200), z.custom<object>()).meta({
    id: "AnsibleInventory",
    description: "Groups with their `hosts`, and `_meta` with the variables of each host.",
  }),
  response: "The inventory that Ansible reads.",
  example: {
    data: {
      _meta: {
        hostvars: {
          nas: {
            ansible_host: "192.168.1.10",
            network_inventory: {
              id: "e1e74882-b978-405e-89f9-922e1a30e63b",
              name: "nas",
              hostname: "nas.home.example.com",
              operating_system: "DSM 7.2.2",
              manufacturer: null,
              model: null,
              network_id,
              network: "Home",
              tags: ["Storage"],
              addresses: ["192.168.1.10"],
              ports: ["445/Tcp"],
              services: [{ name: "Samba", definition: "Samba", ports: ["445/Tcp"] }],
            },
          },
        },
      },
      network_Home: { hosts: ["nas"] },
      service_Samba: { hosts: ["nas"] },
      tag_Storage: { hosts: ["nas"] },
    },
  },
});

describeOperation(hostsFile, {
  operationId: "export_hosts_file",
  tag,
  summary: "Export a hosts file",
  description:
    "Exports a line for each address that is reachable from other machines, with the names of its host in the format of RFC 1123. Names that are addresses, and names with a special meaning (`localhost`, `wpad`, `host.docker.internal`), are omitted.",
  parameters,
  data: z.string().max(exportBounds.bytes),
  response: "The file.",
  example: { data: "192.168.1.10\tnas nas.home.example.com\n" },
});

import { describeGroup, describeOperation } from "../../openapi/describe.ts";
import { describeVerbs, externalIdFilter, nameFilter } from "../../openapi/verbs.ts";
import { inventoryFilters, tagFilter } from "../describe-filters.ts";
import { consolidateHosts } from "./consolidate.ts";
import { type Host, hostResource, hostSchema } from "./model.ts";

const tag = describeGroup({
  name: "Hosts",
  description: "Machines on networks, with their children and their history.",
});

const example: Host = {
  id: "e1e74882-b978-405e-89f9-922e1a30e63b",
  created_at: "2025-03-02T03:16:01.357Z",
  updated_at: "2025-03-02T03:16:01.357Z",
  organization_id: "e4b66c48-02de-4481-8c6f-f8b16360c781",
  network_id: "277af32d-eb94-4677-88b1-472a3ec07051",
  last_seen_at: "2025-09-14T21:47:05.310Z",
  valid_from: "2025-03-02T03:16:01.357Z",
  valid_to: null,
  lineage_id: null,
  first_discovery_id: null,
  last_discovery_id: null,
  name: "nas",
  hostname: "nas.home.example.com",
  description: null,
  external_id: "cmdb-1042",
  metadata: { rack: "A3" },
  hidden: false,
  is_stale: false,
  tags: ["aed75b45-9130-4bef-8d61-1c2d0a47133c"],
  source: { type: "Manual" },
  virtualization: null,
  sys_name: null,
  sys_descr: null,
  sys_object_id: null,
  sys_location: null,
  sys_contact: null,
  management_url: null,
  chassis_id: null,
  manufacturer: null,
  model: null,
  serial_number: null,
  operating_system: "DSM 7.2.2",
  credential_assignments: [],
  ip_addresses: [],
  ports: [],
  interfaces: [],
  services: [],
};

describeVerbs(hostResource, {
  tag,
  singular: "host",
  plural: "hosts",
  schema: hostSchema,
  example,
  body: {
    network_id: example.network_id,
    name: "printer",
    external_id: "cmdb-1077",
    metadata: { rack: "A3", owner: "Facilities" },
    ip_addresses: [{ id: "0f0a4f0e-3b62-4a38-8a3f-6b0f3ac1a001", ip_address: "192.168.1.77" }],
    ports: [{ id: "0f0a4f0e-3b62-4a38-8a3f-6b0f3ac1a002", number: 631, protocol: "Tcp" }],
    services: [
      {
        name: "Printing",
        service_definition: "CUPS",
        bindings: [
          {
            type: "Port",
            port_id: "0f0a4f0e-3b62-4a38-8a3f-6b0f3ac1a002",
            ip_address_id: "0f0a4f0e-3b62-4a38-8a3f-6b0f3ac1a001",
          },
        ],
      },
    ],
  },
  bodies: {
    createMany: {
      network_id: example.network_id,
      name: "scanner",
      hostname: "scanner.example.com",
    },
    upsert: { network_id: example.network_id, name: "plotter", metadata: { rack: "A4" } },
    update: {
      network_id: example.network_id,
      name: "nas",
      hostname: example.hostname,
      description: "In the cupboard under the stairs",
    },
  },
  rules:
    "`ip_addresses`, `ports`, `interfaces` and `services` replace the children of the host; an omitted list does not change them. To refer to new ports and addresses from services in the same request, choose their ids yourself. The network of a host cannot change. `credential_assignments` replace the host's assignments, also on the credentials; if omitted, they do not change. Changing them requires the role Admin and a key that can access all assignments of the credential, just like changing a credential. Sending them back unchanged requires only Member.",
  deletion:
    "Its current version and those of its children end now; history is kept. A host on which a daemon runs cannot be deleted (409 `entity_in_use`).",
  filters: {
    ...inventoryFilters(example),
    ...nameFilter(example),
    ...externalIdFilter,
    ...tagFilter,
    ip: { description: "Only hosts with this address.", example: "192.168.1.10" },
    cidr: { description: "Only hosts with an address in this block.", example: "192.168.1.0/24" },
    mac: { description: "Only records with this MAC address.", example: "02:78:A7:D0:A2:0C" },
    port: { description: "Only hosts on which this port is open.", example: "445" },
    service: {
      description: "Only hosts with an open service of this name or definition.",
      example: "Samba",
    },
    stale: {
      description: "`true`: only stale hosts; `false`: only hosts that are not stale.",
      example: false,
    },
    include_children: {
      description: "`false` omits `ip_addresses`, `ports`, `interfaces` and `services`.",
      example: false,
    },
    q: {
      description:
        "The text to search for: an IP address, a CIDR block, a MAC address, a port, an id, or part of a name or operating system. A port or a service matches the hosts on which it is open.",
      example: "nas",
    },
  },
  operationIds: { list: "get_all_hosts" },
});

describeOperation(consolidateHosts, {
  operationId: "consolidate_hosts",
  tag,
  summary: "Consolidate two hosts",
  description:
    "Moves everything from the other host to this one and deletes the other host, in one step; history is kept. Ports with the same number and protocol, interfaces with the same `if_index`, addresses with the same subnet and address, and services with the same definition and name are merged into those of this host, with their bindings. Tags and credentials are combined; a daemon that runs on the other host moves. Fields that are null on this host take the other host's values, also in merged addresses, interfaces and services. Both hosts must be on the same network. If one of them has credentials, the role Admin is required (else 403 `auth_permission_denied`). If bindings conflict, the response is 409 `binding_conflict`.\n\nWith `If-Match`, nothing changes unless this host still has that `ETag`.",
  parameters: {
    id: { description: "The id of the host that is kept.", example: example.id },
    other_id: {
      description: "The id of the host that is deleted.",
      example: "d6ee319b-1e7b-4e92-8a89-04fd53ea0765",
    },
  },
  data: hostSchema,
  response: "The host, with the records of both hosts.",
  example: { data: example },
  errorExamples: {
    entity_not_found: { entity: "Host", id: "d6ee319b-1e7b-4e92-8a89-04fd53ea0765" },
  },
});

import { describeGroup, describeOperation } from "../../openapi/describe.ts";
import { describeVerbs, nameFilter } from "../../openapi/verbs.ts";
import { inventoryFilters, tagFilter } from "../describe-filters.ts";
import { consolidateHosts } from "./consolidate.ts";
import { type Host, hostResource, hostSchema } from "./model.ts";

const tag = describeGroup({
  name: "Hosts",
  description: "Machines on networks with all that they carry, and their history.",
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
    update: {
      network_id: example.network_id,
      name: "nas",
      hostname: example.hostname,
      description: "In the cupboard under the stairs",
    },
  },
  rules:
    "`ip_addresses`, `ports`, `interfaces` and `services` become exactly the children of the host; one that is left out is kept. Ids of your own choice let services refer to the ports and addresses sent beside them. The network of a host stays. `credential_assignments` become exactly the credentials for the host, also seen from the credentials; left out, they stay. To change them needs what changing a credential needs: the role Admin, and that your key reaches all of its assignments. To send back what was read needs no more than Member.",
  deletion:
    "It ends now, with all that it carries; history stays. A host on which a daemon lives is refused (409 `entity_in_use`).",
  filters: {
    ...inventoryFilters(example),
    ...nameFilter(example),
    ...tagFilter,
    ip: { description: "Only those with this address.", example: "192.168.1.10" },
    cidr: { description: "Only those with an address in this block.", example: "192.168.1.0/24" },
    mac: { description: "Only those with this MAC address.", example: "02:78:A7:D0:A2:0C" },
    port: { description: "Only those on which this port is open.", example: "445" },
    service: {
      description: "Only those with an open service of this name or definition.",
      example: "Samba",
    },
    stale: {
      description: "`true`: only those that are stale. `false`: only the others.",
      example: "false",
    },
    include_children: {
      description: "`false`: `ip_addresses`, `ports`, `interfaces` and `services` are left out.",
      example: "false",
    },
    q: {
      description:
        "A search text: an address, a block, a MAC, a port, an id, or a part of a name or operating system. By a port or a service it finds hosts on which that is open.",
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
    "Moves everything of the other host to this one and deletes the other, in one step; history stays. Ports of the same number and protocol, interfaces of the same `if_index`, addresses of the same subnet and address, and services of the same definition and name merge into those of this host, and bindings follow. Tags and credentials are united; a daemon that lives on the other host moves. Fields that are null here take the other's values, also those of addresses, interfaces and services that merge. Both must be on one network. Where one of them has credentials, this needs the role Admin (else 403 `auth_permission_denied`). Bindings that do not go together are refused with 409 `binding_conflict`.\n\nWith `If-Match`, nothing changes unless this host still has that `ETag`.",
  parameters: {
    id: { description: "The id of the host that stays.", example: example.id },
    other_id: {
      description: "The id of the host that goes.",
      example: "d6ee319b-1e7b-4e92-8a89-04fd53ea0765",
    },
  },
  data: hostSchema,
  response: "The host, with all that both had.",
  example: { data: example },
  errorExamples: {
    entity_not_found: { entity: "Host", id: "d6ee319b-1e7b-4e92-8a89-04fd53ea0765" },
  },
});

import type { Samples } from "../../helpers/operations.ts";
import type { PopulatedOrganization } from "../../helpers/populated-organization.ts";

const host = ({ records }: PopulatedOrganization) => {
  const [port_id, ip_address_id] = [crypto.randomUUID(), crypto.randomUUID()];
  return {
    network_id: records.networks,
    name: "After",
    hostname: "after.example.com",
    operating_system: "Debian 12",
    tags: [records.tags],
    ip_addresses: [{ id: ip_address_id, ip_address: "192.0.2.9", subnet_id: null }],
    ports: [{ id: port_id, number: 22, protocol: "Tcp" }],
    services: [
      {
        name: "After",
        version: "sshd 9.6",
        tags: [records.tags],
        bindings: [{ type: "Port", port_id, ip_address_id }],
      },
    ],
  };
};

export const samples: Samples = {
  "POST /api/v1/hosts": host,
  "POST /api/v1/hosts/bulk": (organization) => [host(organization), host(organization)],
  "POST /api/v1/hosts/bulk-delete": ({ records }) => [records.hosts],
  "PUT /api/v1/hosts/:id": host,
};

import { externalIdViolations } from "./external-ids.ts";
import { conflict, invalidReference, type Violations } from "./failure.ts";

/** The API error for each constraint on inventory tables. */
export const inventoryViolations: Violations = {
  ...externalIdViolations("hosts"),
  ...externalIdViolations("services"),
  ...externalIdViolations("subnets"),
  subnets_cidr_unique: conflict,
  ip_addresses_host_unique: conflict,
  ip_addresses_subnet_unique: conflict,
  // The CIDR block of its subnet was changed concurrently.
  ip_addresses_subnet_check: conflict,
  ports_host_unique: conflict,
  interfaces_host_unique: conflict,
  neighbors_interface_unique: conflict,
  // One of its addresses was deleted concurrently.
  interfaces_ip_addresses_check: conflict,
  // The id belongs to a record that the caller cannot see.
  ip_addresses_pk: conflict,
  ports_pk: conflict,
  interfaces_pk: conflict,
  neighbors_pk: conflict,
  services_pk: conflict,
  bindings_pk: conflict,
  // The host was concurrently deleted or consolidated into another host.
  ip_addresses_host_fk: invalidReference("Host", "body.host_id"),
  ports_host_fk: invalidReference("Host", "body.host_id"),
  interfaces_host_fk: invalidReference("Host", "body.host_id"),
  services_host_fk: invalidReference("Host", "body.host_id"),
  // A binding has the host of its service, so its host is missing if the service was deleted
  // concurrently.
  bindings_host_fk: invalidReference("Service", "body.service_id"),
  neighbors_host_fk: invalidReference("Interface", "body.interface_id"),
  neighbors_interface_fk: invalidReference("Interface", "body.interface_id"),
  bindings_service_fk: invalidReference("Service", "body.service_id"),
  bindings_port_fk: invalidReference("Port", "body.port_id"),
  bindings_ip_address_fk: invalidReference("IPAddress", "body.ip_address_id"),
  hosts_network_fk: invalidReference("Network", "body.network_id"),
  subnets_network_fk: invalidReference("Network", "body.network_id"),
  host_tags_tag_fk: invalidReference("Tag", "body.tags"),
  service_tags_tag_fk: invalidReference("Tag", "body.tags"),
  subnet_tags_tag_fk: invalidReference("Tag", "body.tags"),
  ip_addresses_subnet_fk: invalidReference("Subnet", "body.subnet_id"),
};

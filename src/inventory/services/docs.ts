import { describeGroup } from "../../openapi/describe.ts";
import { describeVerbs, externalIdFilter, nameFilter } from "../../openapi/verbs.ts";
import { serviceBindingExample } from "../bindings/docs.ts";
import { inventoryFilters, tagFilter } from "../describe-filters.ts";
import { type Service, serviceResource, serviceSchema } from "./model.ts";

const tag = describeGroup({
  name: "Services",
  description: "Services of hosts, open and closed, with their bindings and their history.",
});

const example: Service = {
  id: "7b740975-b427-4103-82f4-f8fe7cf95874",
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
  host_id: "e1e74882-b978-405e-89f9-922e1a30e63b",
  name: "Samba",
  external_id: null,
  metadata: {},
  service_definition: "Samba",
  version: "Samba 4.15.9",
  virtualization: null,
  tags: ["aed75b45-9130-4bef-8d61-1c2d0a47133c"],
  position: 0,
  source: { type: "Manual" },
  is_open: true,
  bindings: [serviceBindingExample],
};

describeVerbs(serviceResource, {
  tag,
  singular: "service",
  plural: "services",
  schema: serviceSchema,
  example,
  body: { host_id: example.host_id, name: "Proxy", service_definition: "Squid" },
  rules:
    "`bindings` replace the bindings of the service; if omitted, they do not change. A service is open while it has a binding. By default, `service_definition` is the name.",
  deletion: "Its current version ends now; its history is kept.",
  operationIds: { list: "get_all_services" },
  filters: {
    ...inventoryFilters(example),
    ...nameFilter(example),
    ...externalIdFilter,
    host_id: { description: "Only records of this host.", example: example.host_id },
    ...tagFilter,
    port: { description: "Only services bound to this port.", example: "445" },
    is_open: {
      description: "`true`: only open records; `false`: only closed ones.",
      example: true,
    },
    exclude_categories: {
      description:
        "Omits services in these categories. `OpenPorts`: the ports that no service claims. Other categories do not contain any services.",
      example: "OpenPorts",
    },
    q: {
      description: "Only services that have this id or contain this text.",
      example: "samba",
    },
  },
});

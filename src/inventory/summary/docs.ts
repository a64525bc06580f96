import { describeGroup, describeOperation } from "../../openapi/describe.ts";
import { type Summary, summarySchema } from "./model.ts";
import { readSummary } from "./read.ts";

const tag = describeGroup({
  name: "Summary",
  description: "Counts of what the networks contain.",
});

const network_id = "277af32d-eb94-4677-88b1-472a3ec07051";

const example: Summary = {
  at: "2025-09-14T21:50:00.000Z",
  network_id,
  counts: {
    subnets: 1,
    hosts: 2,
    ip_addresses: 2,
    ports: 3,
    interfaces: 0,
    neighbors: 0,
    services: 2,
    bindings: 3,
  },
  hosts_seen: { last_day: 2, last_week: 2, last_month: 2, stale: 0 },
  services: [{ service_definition: "Samba", count: 2 }],
  subnets: [
    {
      id: "9606785e-20bd-4c03-8c0a-899dc2b8d8da",
      network_id,
      name: "Home",
      cidr: "192.168.1.0/24",
      hosts: 2,
      ip_addresses: 2,
    },
  ],
  open_ports: [{ number: 445, protocol: "Tcp", type: "Samba", hosts: 2 }],
};

describeOperation(readSummary, {
  operationId: "get_summary",
  tag,
  summary: "Get a summary",
  description:
    "Returns counts of what the networks contain, for a dashboard: the records of each kind, the most frequent open services and open ports, the fullest subnets, and the recently seen hosts. All numbers are as of one instant. For a key that is limited to specific networks, only the records in those networks are counted.",
  parameters: {
    network_id: { description: "Counts only the records on this network.", example: network_id },
    at: {
      description:
        "Counts the versions that were valid at this instant, instead of the live ones: ISO 8601 with an offset, a date, or a time before now such as `-24h`.",
      example: "2025-04-01T00:00:00Z",
    },
  },
  data: summarySchema,
  response: "The numbers.",
  example: { data: example },
});

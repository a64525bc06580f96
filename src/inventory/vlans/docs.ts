import * as z from "zod";
import { describeGroup, describeOperation } from "../../openapi/describe.ts";
import { listVlans } from "./list.ts";
import { type Vlan, vlanSchema } from "./model.ts";

const tag = describeGroup({
  name: "VLANs",
  description: "The VLANs of networks, derived from the interfaces of hosts.",
});

const example: Vlan = {
  id: "f3c7b1a2-5d0e-8c41-a6f9-2b7d40e8c915",
  created_at: "2025-03-02T03:16:01.357Z",
  updated_at: "2025-03-02T03:16:01.357Z",
  organization_id: "e4b66c48-02de-4481-8c6f-f8b16360c781",
  network_id: "277af32d-eb94-4677-88b1-472a3ec07051",
  vlan_number: 20,
  interfaces: 9,
  hosts: 2,
  subnet_ids: ["9606785e-20bd-4c03-8c0a-899dc2b8d8da"],
  name: "VLAN 20",
  tags: [],
};

describeOperation(listVlans, {
  operationId: "list_vlans",
  tag,
  summary: "List VLANs",
  description:
    "Lists the VLANs of the networks that your key can access, by network and number. A VLAN exists while an interface has it as its `native_vlan` or among its `tagged_vlans`; `created_at` is when the oldest such interface was recorded, and `updated_at` when one last changed.",
  parameters: {
    network_id: { description: "Only VLANs of this network.", example: example.network_id },
    at: {
      description:
        "The VLANs at this instant instead of now: ISO 8601 with an offset, a date, or a time before now such as `-24h`.",
      example: "2025-05-10T00:00:00Z",
    },
  },
  data: z.array(vlanSchema),
  response: "A page of VLANs.",
  example: { data: [example] },
});

import * as z from "zod";
import { id } from "../../http/input/id.ts";
import { integer } from "../../http/input/integer.ts";
import { sortedIds } from "../../http/input/set.ts";
import { vlan } from "../../http/input/vlans.ts";
import { recordFields } from "../../http/verbs/record.ts";

/** The schema of a VLAN of a network, which is derived from its interfaces (API contract, section 9). */
export const vlanSchema = z
  .object({
    ...recordFields,
    organization_id: id,
    network_id: id,
    vlan_number: vlan,
    interfaces: integer(1).meta({ description: "The number of interfaces in it." }),
    hosts: integer(1).meta({ description: "The number of hosts with an interface in it." }),
    subnet_ids: sortedIds(
      "The subnets of addresses on interfaces whose untagged frames it carries, at most 1,000.",
    ),
    name: z.string().max(16).meta({ description: "`VLAN` and its number." }),
    tags: sortedIds("Always empty."),
  })
  .meta({ id: "Vlan", description: "A VLAN of a network, derived from its interfaces." });
export type Vlan = z.output<typeof vlanSchema>;

import * as z from "zod";
import { subnetTypes } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { cidr } from "../../http/input/network.ts";
import { ownDataInput } from "../../http/input/own-data.ts";
import { historicalRecordInput, ignored, meaningless } from "../../http/input/record.ts";
import { idSet } from "../../http/input/set.ts";
import { name, optionalText } from "../../http/input/text.ts";

/** The input for a subnet (API contract, section 9). */
export const subnetInput = z
  .strictObject({
    ...historicalRecordInput,
    source: ignored,
    parent_id: ignored,
    utilization: ignored,
    virtualization: meaningless,
    virtualization_service_id: meaningless,
    network_id: id,
    cidr,
    name: name.optional(),
    description: optionalText(500),
    subnet_type: z.enum(subnetTypes).default("Unknown"),
    ...ownDataInput,
    tags: idSet.default([]),
  })
  .meta({ id: "SubnetInput", description: "A block of addresses. Unknown fields are errors." });
export type SubnetInput = z.output<typeof subnetInput>;

import * as z from "zod";
import {
  chassisSubtypes,
  neighborPortSubtypes,
  neighborProtocols,
} from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { announcedId, managementAddresses } from "../../http/input/neighbor.ts";
import { historicalRecordInput, ignored } from "../../http/input/record.ts";
import { optionalText, requiredText } from "../../http/input/text.ts";

const idInput = <const Subtype extends string>(name: string, subtypes: readonly Subtype[]) =>
  announcedId(z.strictObject({ subtype: z.enum(subtypes), value: requiredText(255) })).meta({
    id: name,
  });

/** The input for a neighbor (API contract, section 9). */
export const neighborInput = z
  .strictObject({
    ...historicalRecordInput,
    protocol: z.enum(neighborProtocols),
    chassis_id: idInput("ChassisIdInput", chassisSubtypes),
    port_id: idInput("NeighborPortIdInput", neighborPortSubtypes).nullable().default(null),
    system_name: optionalText(255),
    system_description: optionalText(255),
    port_description: optionalText(255),
    management_addresses: managementAddresses.default([]),
    network_id: ignored,
    host_id: ignored,
    source: ignored,
    interface_id: id,
  })
  .meta({
    id: "NeighborInput",
    description: "A neighbor of an interface. Unknown fields are errors.",
  });

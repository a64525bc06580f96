import * as z from "zod";
import {
  chassisSubtypes,
  maximumManagementAddresses,
  neighborPortSubtypes,
  neighborProtocols,
} from "../../database/tables/index.ts";
import { eachOnce } from "../../http/input/each-once.ts";
import { id } from "../../http/input/id.ts";
import { canonicalAddress, ipAddress, macAddress } from "../../http/input/network.ts";
import { historicalRecordInput, ignored } from "../../http/input/record.ts";
import { optionalText, requiredText } from "../../http/input/text.ts";

/** The schemas of values whose subtype determines their form. */
const forms: Readonly<Record<string, z.ZodType<string>>> = {
  MacAddress: macAddress,
  NetworkAddress: ipAddress,
};

/** An id that a device announces for its chassis or for a port. MAC addresses become canonical. */
const identifier = <const Subtype extends string>(name: string, subtypes: readonly Subtype[]) =>
  z
    .strictObject({ subtype: z.enum(subtypes), value: requiredText(255) })
    .transform(({ subtype, value }, context) => {
      const { success, data, error } = (forms[subtype] ?? z.string()).safeParse(value);
      for (const { message } of error?.issues ?? []) {
        context.addIssue({ code: "custom", path: ["value"], input: value, message });
      }
      return success ? { subtype, value: data } : z.NEVER;
    })
    .meta({
      id: name,
      description:
        "An id and its subtype in LLDP (IEEE 802.1AB). The value of a `MacAddress` is a MAC address, and that of a `NetworkAddress` an IP address.",
    });

/** The fields that a neighbor says of itself, in requests and in imports. */
export const neighborFields = {
  protocol: z.enum(neighborProtocols),
  chassis_id: identifier("ChassisIdInput", chassisSubtypes),
  port_id: identifier("NeighborPortIdInput", neighborPortSubtypes).nullable().default(null),
  system_name: optionalText(255),
  system_description: optionalText(255),
  port_description: optionalText(255),
  management_addresses: z
    .array(ipAddress)
    .max(maximumManagementAddresses, {
      error: `must have at most ${maximumManagementAddresses} members`,
    })
    .check(
      eachOnce<string>({
        of: canonicalAddress,
        message: "is already an address of this neighbor: send every address once",
      }),
    )
    .default([]),
};

/** The input for a neighbor (API contract, section 9). */
export const neighborInput = z
  .strictObject({
    ...historicalRecordInput,
    ...neighborFields,
    network_id: ignored,
    host_id: ignored,
    source: ignored,
    interface_id: id,
  })
  .meta({
    id: "NeighborInput",
    description: "A neighbor of an interface. Unknown fields are errors.",
  });

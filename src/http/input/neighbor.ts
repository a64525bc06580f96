import * as z from "zod";
import { maximumManagementAddresses } from "../../database/tables/index.ts";
import { eachOnce } from "./each-once.ts";
import { canonicalAddress, ipAddress, macAddress } from "./network.ts";

/** The schemas of values by subtype. Values of other subtypes are arbitrary strings. */
const forms: Readonly<Record<string, z.ZodType<string>>> = {
  MacAddress: macAddress,
  NetworkAddress: ipAddress,
};

/**
 * A chassis id or port id that a device announces. MAC addresses are converted to
 * `AA:BB:CC:DD:EE:FF`; the database converts IP addresses to their canonical form.
 * @param object an object with an LLDP subtype (IEEE 802.1AB) and a value of 1 to 255 characters
 */
export const announcedId = <Subtype extends string>(
  object: z.ZodType<{ subtype: Subtype; value: string }>,
) =>
  object
    .transform(({ subtype, value }, context) => {
      const { success, data, error } = (forms[subtype] ?? z.string()).safeParse(value);
      for (const { message } of error?.issues ?? []) {
        context.addIssue({ code: "custom", path: ["value"], input: value, message });
      }
      return success ? { subtype, value: data } : z.NEVER;
    })
    .meta({
      description:
        "An id and its subtype in LLDP (IEEE 802.1AB). The value of a `MacAddress` is a MAC address, and that of a `NetworkAddress` an IP address.",
    });

/** The management addresses of a neighbor. */
export const managementAddresses = z
  .array(ipAddress)
  .max(maximumManagementAddresses, {
    error: `must have at most ${maximumManagementAddresses} members`,
  })
  .check(
    eachOnce<string>({
      of: canonicalAddress,
      message: "is already an address of this neighbor: send every address once",
    }),
  );

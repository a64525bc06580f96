import * as z from "zod";
import { maximumVlan } from "../../database/tables/index.ts";
import { eachOnce } from "./each-once.ts";
import { integer } from "./integer.ts";

/** A VLAN number, 1 to 4094. */
export const vlan = integer(1, maximumVlan);

/** The VLANs of an interface, in requests and in imports (API contract, section 9). */
export const vlanFields = {
  native_vlan: vlan.nullable().default(null),
  tagged_vlans: z
    .array(vlan)
    .max(maximumVlan, { error: `must have at most ${maximumVlan} members` })
    .check(
      eachOnce<number>({
        of: String,
        message: "is already a VLAN of this interface: send every number once",
      }),
    )
    .transform((numbers) => numbers.toSorted((one, other) => one - other))
    .nullable()
    .default(null)
    .meta({ description: "Null if they are unknown." }),
};

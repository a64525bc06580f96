import * as z from "zod";
import { addressRoles, addressStatuses } from "../../database/tables/index.ts";
import { id, idOrNone } from "../../http/input/id.ts";
import { integer } from "../../http/input/integer.ts";
import { ipAddress, macAddress } from "../../http/input/network.ts";
import { orNone } from "../../http/input/or-none.ts";
import { historicalRecordInput, ignored } from "../../http/input/record.ts";
import { optionalText } from "../../http/input/text.ts";

const fields = {
  ...historicalRecordInput,
  network_id: ignored,
  subnet_id: idOrNone.optional().meta({
    description: "By default, the smallest subnet of the network that contains the address.",
  }),
  ip_address: ipAddress,
  mac_address: orNone(macAddress),
  name: optionalText(100),
  status: z.enum(addressStatuses).default("Active"),
  role: orNone(z.enum(addressRoles)),
  position: integer().default(0),
};

/** The input for an address inside its host. */
export const hostAddressInput = z
  .strictObject({ ...fields, host_id: ignored })
  .meta({ id: "HostIPAddressInput", description: "An address of the host." });

/** The input for an address (API contract, section 9). */
export const ipAddressInput = z
  .strictObject({ ...fields, host_id: id })
  .meta({ id: "IPAddressInput", description: "An address of a host. Unknown fields are errors." });

import * as z from "zod";
import { adminStatuses, operStatuses } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { integer, largeInteger } from "../../http/input/integer.ts";
import { macAddress } from "../../http/input/network.ts";
import { orNone } from "../../http/input/or-none.ts";
import { historicalRecordInput, ignored } from "../../http/input/record.ts";
import { idSet } from "../../http/input/set.ts";
import { optionalText } from "../../http/input/text.ts";
import { vlanFields } from "../../http/input/vlans.ts";

const fields = {
  ...historicalRecordInput,
  network_id: ignored,
  if_index: integer(1),
  name: optionalText(255),
  description: optionalText(255),
  type: integer(1).nullable().default(null),
  speed_bps: largeInteger.nullable().default(null),
  mac_address: orNone(macAddress),
  admin_status: orNone(z.enum(adminStatuses)),
  oper_status: orNone(z.enum(operStatuses)),
  alias: optionalText(255),
  ...vlanFields,
  read_at: ignored,
  neighbors: ignored,
  ip_address_ids: idSet.default([]),
};

/** The input for an interface inside its host. */
export const hostInterfaceInput = z
  .strictObject({ ...fields, host_id: ignored })
  .meta({ id: "HostInterfaceInput", description: "An interface of the host." });

/** The input for an interface (API contract, section 9). */
export const interfaceInput = z.strictObject({ ...fields, host_id: id }).meta({
  id: "InterfaceInput",
  description: "An interface of a host. Unknown fields are errors.",
});

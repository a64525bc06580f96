import * as z from "zod";
import { transportProtocols } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { integer } from "../../http/input/integer.ts";
import { historicalRecordInput, ignored } from "../../http/input/record.ts";

const fields = {
  ...historicalRecordInput,
  network_id: ignored,
  type: ignored,
  is_open: ignored,
  number: integer(1, 65_535),
  protocol: z.enum(transportProtocols),
};

/** The input for a port inside its host. */
export const hostPortInput = z
  .strictObject({ ...fields, host_id: ignored })
  .meta({ id: "HostPortInput", description: "A port of the host." });

/** The input for a port (API contract, section 9). */
export const portInput = z
  .strictObject({ ...fields, host_id: id })
  .meta({ id: "PortInput", description: "A port of a host. Unknown fields are errors." });

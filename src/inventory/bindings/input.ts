import * as z from "zod";
import { id, idOrNone } from "../../http/input/id.ts";
import { historicalRecordInput, ignored } from "../../http/input/record.ts";
import { noPort } from "./model.ts";

const common = {
  ...historicalRecordInput,
  network_id: ignored,
  host_id: ignored,
  label: ignored,
};
const kinds = {
  Port: { type: z.literal("Port"), port_id: id, ip_address_id: idOrNone.default(null) },
  IPAddress: { type: z.literal("IPAddress"), port_id: noPort.default(null), ip_address_id: id },
};

const wrongType = {
  error: ({ code }: { code: string }) =>
    code === "invalid_union" ? "must be Port or IPAddress" : undefined,
};

/** The input for a binding inside its service. */
export const serviceBindingInput = z
  .discriminatedUnion(
    "type",
    [
      z
        .strictObject({ ...common, service_id: ignored, ...kinds.Port })
        .meta({ id: "ServicePortBindingInput" }),
      z
        .strictObject({ ...common, service_id: ignored, ...kinds.IPAddress })
        .meta({ id: "ServiceIPAddressBindingInput" }),
    ],
    wrongType,
  )
  .meta({ id: "ServiceBindingInput", description: "A binding of the service." });

/** The input for a binding (API contract, sections 5 and 9). */
export const bindingInput = z
  .discriminatedUnion(
    "type",
    [
      z.strictObject({ ...common, service_id: id, ...kinds.Port }).meta({ id: "PortBindingInput" }),
      z
        .strictObject({ ...common, service_id: id, ...kinds.IPAddress })
        .meta({ id: "IPAddressBindingInput" }),
    ],
    wrongType,
  )
  .meta({
    id: "BindingInput",
    description: "The port or address that a service listens on. Unknown fields are errors.",
  });
export type BindingInput = z.output<typeof bindingInput>;

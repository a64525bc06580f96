import * as z from "zod";
import { eachOnce, idKey } from "../../http/input/each-once.ts";
import { id, idOrNone } from "../../http/input/id.ts";
import { integer } from "../../http/input/integer.ts";
import { ownDataInput } from "../../http/input/own-data.ts";
import { historicalRecordInput, ignored } from "../../http/input/record.ts";
import { idSet } from "../../http/input/set.ts";
import { name, optionalText, requiredText } from "../../http/input/text.ts";
import { serviceBindingInput } from "../bindings/input.ts";

const text = optionalText(255);

/** Maximum number of bindings per service in one request. */
const maximumBindings = 1000;

/** The input for a service's virtualization. */
const dockerInput = z
  .strictObject({
    type: z.literal("Docker"),
    details: z
      .strictObject({
        container_name: text,
        container_id: text,
        compose_project: text,
        service_id: idOrNone
          .default(null)
          .meta({ description: "The service that runs it, on the same network." }),
      })
      .meta({ id: "DockerDetailsInput" }),
  })
  .meta({ id: "DockerVirtualizationInput", description: "The container of the service." });

const fields = {
  ...historicalRecordInput,
  network_id: ignored,
  source: ignored,
  is_open: ignored,
  name,
  service_definition: requiredText(255).optional(),
  version: text,
  virtualization: dockerInput.nullable().default(null),
  ...ownDataInput,
  tags: idSet.default([]),
  position: integer().default(0),
  bindings: z
    .array(serviceBindingInput)
    .max(maximumBindings, { error: `must have at most ${maximumBindings} members` })
    .check(eachOnce(idKey))
    .nullable()
    .optional()
    .transform((value) => value ?? undefined)
    .meta({ description: "All its bindings. If omitted or null, they do not change." }),
};

/** The input for a service inside its host. */
export const hostServiceInput = z
  .strictObject({ ...fields, host_id: ignored })
  .meta({ id: "HostServiceInput", description: "A service of the host." });

/** The input for a service (API contract, section 9). */
export const serviceInput = z
  .strictObject({ ...fields, host_id: id })
  .meta({ id: "ServiceInput", description: "A service of a host. Unknown fields are errors." });
export type ServiceInput = z.output<typeof serviceInput>;

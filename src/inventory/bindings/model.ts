import * as z from "zod";
import { columnsOf, type RowOf } from "../../database/columns-of.ts";
import { bindings, bindingTypes } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { timestamp } from "../../http/input/timestamp.ts";
import { labelBy } from "../../http/list/formats/csv.ts";
import { historical } from "../../http/verbs/historical.ts";
import { recordFields } from "../../http/verbs/record.ts";

/**
 * The schema of a value that is always null. Client generators do not have a type for null alone.
 */
const typeOfNull = { type: ["string", "null"], maxLength: 0 };

/** The port of a binding without a port: always null, in requests and in responses. */
export const noPort = z
  .null()
  .meta({ description: "Always null.", input: typeOfNull, output: typeOfNull });

/** The fields of both types of bindings. */
const common = {
  ...recordFields,
  service_id: id,
  network_id: id,
  last_seen_at: timestamp,
  valid_from: timestamp,
  valid_to: timestamp.nullable().meta({
    description: "The end of this version's validity; null for the live version.",
  }),
  first_discovery_id: id.nullable(),
  last_discovery_id: id.nullable(),
  lineage_id: id.nullable().meta({
    description: "The id of the live version; null for the live version itself.",
  }),
};

/** The schema of a version of a binding (API contract, section 5). */
export const bindingSchema = z
  .discriminatedUnion("type", [
    z
      .object({
        ...common,
        type: z.literal("Port"),
        port_id: id,
        ip_address_id: id.nullable().meta({ description: "Null for all addresses of the host." }),
      })
      .meta({ id: "PortBinding", description: "A binding to a port, on one address or on all." }),
    z
      .object({ ...common, type: z.literal("IPAddress"), port_id: noPort, ip_address_id: id })
      .meta({ id: "IPAddressBinding", description: "A binding to an address, without a port." }),
  ])
  .meta({
    id: "Binding",
    description: "A version of the link between a service, a network, a port and an IP address.",
  });
export type Binding = z.output<typeof bindingSchema>;
labelBy(bindingSchema, ({ id }) => `${id}`);

export const bindingColumns = columnsOf(
  bindings,
  z.object({
    ...common,
    type: z.enum(bindingTypes),
    port_id: id.nullable(),
    ip_address_id: id.nullable(),
  }),
);

export const bindingResource = historical({
  entity: "Binding" as const,
  schema: bindingSchema,
  path: "/api/v1/bindings",
  table: bindings,
  columns: bindingColumns,
  bytes: 700,
  orderFields: { created_at: bindings.created_at, updated_at: bindings.updated_at },
  // Table constraints ensure that the ids match the type.
  toItem: (row: RowOf<typeof bindingColumns>) => row as Binding,
});

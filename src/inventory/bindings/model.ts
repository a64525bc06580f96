import * as z from "zod";
import { columnsOf, type RowOf } from "../../database/columns-of.ts";
import { bindings, bindingTypes } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { timestamp } from "../../http/input/timestamp.ts";
import { historical } from "../../http/verbs/historical.ts";
import { recordFields } from "../../http/verbs/record.ts";

/** A version of a binding as callers see it (API contract, section 5). */
export const bindingSchema = z
  .object({
    ...recordFields,
    type: z.enum(bindingTypes).meta({
      description:
        "`Port`: `port_id` is set, and `ip_address_id` is set or null for all addresses of the host. `IPAddress`: `ip_address_id` is set and `port_id` is null.",
    }),
    service_id: id,
    network_id: id,
    port_id: id.nullable(),
    ip_address_id: id.nullable(),
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
  })
  .meta({
    id: "Binding",
    description: "A version of the link between a service, a network, a port and an IP address.",
  });
export type Binding = z.output<typeof bindingSchema>;

/** What is read of a binding. */
export const bindingColumns = columnsOf(bindings, bindingSchema);

/** The bindings of services, for the verbs; their list is written by hand. */
export const bindingResource = historical({
  entity: "Binding",
  path: "/api/v1/bindings",
  table: bindings,
  columns: bindingColumns,
  bytes: 700,
  orderFields: { created_at: bindings.created_at },
  toItem: (row: RowOf<typeof bindingColumns>): Binding => row,
});

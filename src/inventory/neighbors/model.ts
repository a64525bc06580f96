import { sql } from "drizzle-orm";
import * as z from "zod";
import { columnsOf, type RowOf } from "../../database/columns-of.ts";
import {
  chassisSubtypes,
  maximumManagementAddresses,
  neighborPortSubtypes,
  neighborProtocols,
  neighbors,
} from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { ipAddress } from "../../http/input/network.ts";
import { textOf } from "../../http/input/text.ts";
import { labelBy } from "../../http/list/formats/csv.ts";
import { historical } from "../../http/verbs/historical.ts";
import { historyFields, recordFields, sourceSchema, toSource } from "../../http/verbs/record.ts";

const text = textOf(1, 255);

export const chassisId = z
  .object({ subtype: z.enum(chassisSubtypes), value: text })
  .meta({ id: "ChassisId", description: "The id of a device, with its subtype in LLDP." });

const portId = z
  .object({ subtype: z.enum(neighborPortSubtypes), value: text })
  .meta({ id: "NeighborPortId", description: "The id of a port, with its subtype in LLDP." });

/** The schema of a neighbor of an interface (API contract, section 9). */
export const neighborSchema = z
  .object({
    ...recordFields,
    ...historyFields,
    host_id: id.meta({ description: "The host of the interface." }),
    interface_id: id.meta({ description: "The interface that heard the neighbor." }),
    protocol: z.enum(neighborProtocols).meta({
      description: "`Fdb` is the only MAC address that a switch has learned on the port.",
    }),
    chassis_id: chassisId,
    port_id: portId.nullable(),
    system_name: text.nullable(),
    system_description: text.nullable(),
    port_description: text.nullable(),
    management_addresses: z
      .array(ipAddress)
      .max(maximumManagementAddresses)
      .meta({ description: "Sorted, each address once." }),
    source: sourceSchema,
  })
  .meta({ id: "Neighbor", description: "A version of a neighbor that a device has heard of." });
export type Neighbor = z.output<typeof neighborSchema>;
labelBy(
  neighborSchema,
  ({ system_name, chassis_id }) => `${system_name ?? Object(chassis_id).value}`,
);

export const neighborColumns = {
  ...columnsOf(
    neighbors,
    neighborSchema.omit({
      chassis_id: true,
      port_id: true,
      management_addresses: true,
      source: true,
    }),
  ),
  chassis_id: sql<Neighbor["chassis_id"]>`json_build_object(
    'subtype', ${neighbors.chassis_subtype}, 'value', ${neighbors.chassis_value})`,
  port_id: sql<Neighbor["port_id"]>`case when ${neighbors.port_subtype} is not null
    then json_build_object(
      'subtype', ${neighbors.port_subtype}, 'value', ${neighbors.port_value}) end`,
  management_addresses: sql<string[]>`to_json(${neighbors.management_addresses})`,
  source: neighbors.source,
};

/** Maps a row to a neighbor in the response format. */
export const toNeighbor = ({ source, ...row }: RowOf<typeof neighborColumns>): Neighbor => ({
  ...row,
  source: toSource(source),
});

export const neighborResource = historical({
  entity: "Neighbor" as const,
  schema: neighborSchema,
  path: "/api/v1/neighbors",
  table: neighbors,
  columns: neighborColumns,
  orderFields: {
    created_at: neighbors.created_at,
    updated_at: neighbors.updated_at,
    system_name: sql`${neighbors.system_name} collate "C"`,
    protocol: sql`${neighbors.protocol} collate "C"`,
  },
  toItem: toNeighbor,
});

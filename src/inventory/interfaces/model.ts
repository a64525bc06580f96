import { sql } from "drizzle-orm";
import * as z from "zod";
import { columnsOf, type RowOf } from "../../database/columns-of.ts";
import { adminStatuses, interfaces, operStatuses } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { integer, largeInteger } from "../../http/input/integer.ts";
import { macAddress } from "../../http/input/network.ts";
import { sortedIds } from "../../http/input/set.ts";
import { textOf } from "../../http/input/text.ts";
import { labelBy } from "../../http/list/formats/csv.ts";
import { historical } from "../../http/verbs/historical.ts";
import { historyFields, recordFields } from "../../http/verbs/record.ts";

/** The schema of a host's interface (API contract, section 9). */
export const interfaceSchema = z
  .object({
    ...recordFields,
    ...historyFields,
    host_id: id,
    if_index: integer(1).meta({ description: "Its number on the host (`ifIndex`)." }),
    name: textOf(1, 255).nullable(),
    description: textOf(1, 255).nullable(),
    type: integer(1).nullable().meta({ description: "The IANA number of its type (`ifType`)." }),
    speed_bps: largeInteger.nullable(),
    mac_address: macAddress.nullable(),
    admin_status: z.enum(adminStatuses).nullable(),
    oper_status: z.enum(operStatuses).nullable(),
    ip_address_ids: sortedIds("The addresses of its host on this interface."),
  })
  .meta({ id: "Interface", description: "A version of a host's interface." });
export type Interface = z.output<typeof interfaceSchema>;
labelBy(interfaceSchema, ({ name, if_index }) => `${name ?? if_index}`);

/** The columns of an interface. */
export const interfaceColumns = {
  ...columnsOf(
    interfaces,
    interfaceSchema.omit({ speed_bps: true, mac_address: true, ip_address_ids: true }),
  ),
  // As JSON, since drivers return a bigint as text.
  speed_bps: sql<number | null>`to_json(${interfaces.speed_bps})`,
  mac_address: sql<string | null>`upper(${interfaces.mac_address}::text)`,
  ip_address_ids: sql<string[]>`to_json(${interfaces.ip_address_ids})`,
};

/** The interfaces of hosts. */
export const interfaceResource = historical({
  entity: "Interface" as const,
  schema: interfaceSchema,
  path: "/api/v1/interfaces",
  table: interfaces,
  columns: interfaceColumns,
  orderFields: {
    created_at: interfaces.created_at,
    updated_at: interfaces.updated_at,
    name: sql`${interfaces.name} collate "C"`,
    if_index: interfaces.if_index,
  },
  toItem: (row: RowOf<typeof interfaceColumns>): Interface => row,
});

import { sql } from "drizzle-orm";
import * as z from "zod";
import { columnsOf, type RowOf } from "../../database/columns-of.ts";
import { addressRoles, addressStatuses, ipAddresses } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { integer } from "../../http/input/integer.ts";
import { ipAddress, macAddress } from "../../http/input/network.ts";
import { textOf } from "../../http/input/text.ts";
import { labelBy } from "../../http/list/formats/csv.ts";
import { historical } from "../../http/verbs/historical.ts";
import { historyFields, recordFields } from "../../http/verbs/record.ts";

/** The schema of a host's address (API contract, section 9). */
export const ipAddressSchema = z
  .object({
    ...recordFields,
    ...historyFields,
    host_id: id,
    subnet_id: id.nullable(),
    ip_address: ipAddress,
    mac_address: macAddress.nullable(),
    name: textOf(1, 100).nullable(),
    status: z.enum(addressStatuses),
    role: z.enum(addressRoles).nullable(),
    position: integer(),
  })
  .meta({ id: "HostIPAddress", description: "A version of a host's address." });
export type IPAddress = z.output<typeof ipAddressSchema>;
labelBy(ipAddressSchema, ({ ip_address }) => `${ip_address}`);

export const ipAddressColumns = {
  ...columnsOf(ipAddresses, ipAddressSchema.omit({ ip_address: true, mac_address: true })),
  ip_address: sql<string>`host(${ipAddresses.address})`,
  mac_address: sql<string | null>`upper(${ipAddresses.mac_address}::text)`,
};

export const ipAddressResource = historical({
  entity: "IPAddress" as const,
  schema: ipAddressSchema,
  path: "/api/v1/ip-addresses",
  table: ipAddresses,
  columns: ipAddressColumns,
  bytes: 1000,
  orderFields: {
    created_at: ipAddresses.created_at,
    updated_at: ipAddresses.updated_at,
    name: sql`${ipAddresses.name} collate "C"`,
    ip_address: ipAddresses.address,
  },
  toItem: (row: RowOf<typeof ipAddressColumns>): IPAddress => row,
});

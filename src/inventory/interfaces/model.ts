import { sql } from "drizzle-orm";
import * as z from "zod";
import { childrenOf } from "../../database/children.ts";
import { columnsOf, pickColumns, type RowOf } from "../../database/columns-of.ts";
import { columnsAt, live, partsOf } from "../../database/history.ts";
import {
  adminStatuses,
  interfaces,
  maximumNeighbors,
  maximumVlan,
  neighbors,
  operStatuses,
} from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { integer, largeInteger } from "../../http/input/integer.ts";
import { macAddress } from "../../http/input/network.ts";
import { sortedIds } from "../../http/input/set.ts";
import { textOf } from "../../http/input/text.ts";
import { timestamp } from "../../http/input/timestamp.ts";
import { vlan } from "../../http/input/vlans.ts";
import { labelBy } from "../../http/list/formats/csv.ts";
import { historical } from "../../http/verbs/historical.ts";
import { historyFields, recordFields } from "../../http/verbs/record.ts";
import type { Variant } from "../../http/verbs/resource.ts";
import { neighborColumns, neighborSchema, toNeighbor } from "../neighbors/model.ts";

const readAt = timestamp.nullable();

const readAtSchema = z.object({ lldp: readAt, cdp: readAt, fdb: readAt, vlans: readAt }).meta({
  id: "InterfaceReadAt",
  description:
    "When a report last contained all its neighbors by LLDP and CDP, its forwarding table, and its VLANs; null for never.",
});

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
    alias: textOf(1, 255).nullable().meta({ description: "Its name for operators (`ifAlias`)." }),
    native_vlan: vlan.nullable().meta({ description: "The VLAN of its untagged frames." }),
    tagged_vlans: z
      .array(vlan)
      .max(maximumVlan)
      .nullable()
      .meta({ description: "Sorted, each number once. Null if they are unknown." }),
    read_at: readAtSchema,
    ip_address_ids: sortedIds("The addresses of its host on this interface."),
    neighbors: z.array(neighborSchema).max(maximumNeighbors),
  })
  .meta({ id: "Interface", description: "A version of a host's interface." });
export type Interface = z.output<typeof interfaceSchema>;
labelBy(interfaceSchema, ({ name, if_index }) => `${name ?? if_index}`);

const own = {
  ...columnsOf(
    interfaces,
    interfaceSchema.omit({
      speed_bps: true,
      mac_address: true,
      tagged_vlans: true,
      ip_address_ids: true,
    }),
  ),
  ...pickColumns(interfaces, "lldp_read_at", "cdp_read_at", "fdb_read_at", "vlans_read_at"),
  // As JSON, since drivers return a bigint as text.
  speed_bps: sql<number | null>`to_json(${interfaces.speed_bps})`,
  mac_address: sql<string | null>`upper(${interfaces.mac_address}::text)`,
  tagged_vlans: sql<number[] | null>`to_json(${interfaces.tagged_vlans})`,
  ip_address_ids: sql<string[]>`to_json(${interfaces.ip_address_ids})`,
};

export const interfaceColumns = ({ versions }: Variant) => ({
  ...columnsAt(interfaces, own, versions),
  neighbors: childrenOf<RowOf<typeof neighborColumns>>(
    { table: neighbors, columns: columnsAt(neighbors, neighborColumns, versions) },
    partsOf(neighbors, "interface_id", interfaces.live_id, versions),
    sql`${neighbors.created_at}, ${neighbors.live_id}`,
  ),
});

/** Maps a row to an interface in the response format. */
export const toInterface = ({
  lldp_read_at: lldp,
  cdp_read_at: cdp,
  fdb_read_at: fdb,
  vlans_read_at: vlans,
  neighbors: rows,
  ...row
}: RowOf<ReturnType<typeof interfaceColumns>>): Interface => ({
  ...row,
  read_at: { lldp, cdp, fdb, vlans },
  neighbors: rows.map(toNeighbor),
});

/** The fields by which lists of interfaces can be ordered. */
export const interfaceOrder = {
  created_at: interfaces.created_at,
  updated_at: interfaces.updated_at,
  name: sql`${interfaces.name} collate "C"`,
  if_index: interfaces.if_index,
};

export const interfaceResource = historical(
  {
    entity: "Interface" as const,
    schema: interfaceSchema,
    path: "/api/v1/interfaces",
    table: interfaces,
    columns: interfaceColumns({ versions: live }),
    orderFields: interfaceOrder,
    toItem: toInterface,
  },
  (chosen) => (chosen.versions.kind === "live" ? {} : { columns: interfaceColumns(chosen) }),
);

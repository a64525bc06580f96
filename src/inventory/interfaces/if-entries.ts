import * as z from "zod";
import { live } from "../../database/history.ts";
import { interfaces } from "../../database/tables/index.ts";
import { integer } from "../../http/input/integer.ts";
import { textOf } from "../../http/input/text.ts";
import { labelBy } from "../../http/list/formats/csv.ts";
import { lists } from "../../http/list/list.ts";
import { historical } from "../../http/verbs/historical.ts";
import { interfaceFilters } from "./filters.ts";
import { interfaceColumns, interfaceOrder, interfaceSchema, toInterface } from "./model.ts";

/** `other` (RFC 2863, section 6; IANAifType-MIB), for an interface whose type is unknown. */
const otherType = 1;

const text = textOf(1, 255);

/** An interface with the names that the reference gives to its fields (API contract, section 6). */
export const ifEntrySchema = z
  .object({
    ...interfaceSchema.omit({ name: true, description: true, type: true, alias: true }).shape,
    if_name: text.nullable(),
    if_descr: text.meta({ description: "Its description, else its name, else its number." }),
    if_alias: text.nullable(),
    if_type: integer(1).meta({ description: "Its type; 1 (`other`) if it is unknown." }),
    lldp_sys_name: text.nullable().meta({ description: "The system name of its LLDP neighbor." }),
  })
  .meta({ id: "IfEntry", description: "An interface, with the names of SNMP's ifTable." });
export type IfEntry = z.output<typeof ifEntrySchema>;
labelBy(ifEntrySchema, ({ if_name, if_index }) => `${if_name ?? if_index}`);

type Row = Parameters<typeof toInterface>[0];

function toIfEntry(row: Row): IfEntry {
  const { name, description, type, alias, ...entry } = toInterface(row);
  return {
    ...entry,
    if_name: name,
    if_descr: description ?? name ?? String(entry.if_index),
    if_alias: alias,
    if_type: type ?? otherType,
    lldp_sys_name: entry.neighbors.find(({ protocol }) => protocol === "Lldp")?.system_name ?? null,
  };
}

const ifEntryResource = historical(
  {
    entity: "Interface" as const,
    schema: ifEntrySchema,
    path: "/api/v1/if-entries",
    table: interfaces,
    columns: interfaceColumns({ versions: live }),
    orderFields: interfaceOrder,
    toItem: toIfEntry,
  },
  (chosen) => (chosen.versions.kind === "live" ? {} : { columns: interfaceColumns(chosen) }),
);

/** GET /api/v1/if-entries: lists interfaces with the field names of the reference. */
export const listIfEntries = lists(ifEntryResource, interfaceFilters);

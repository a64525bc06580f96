import * as z from "zod";
import { columnsOf, type RowOf } from "../../database/columns-of.ts";
import { ports, transportProtocols } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { integer } from "../../http/input/integer.ts";
import { labelBy } from "../../http/list/csv.ts";
import { historical } from "../../http/verbs/historical.ts";
import { historyFields, recordFields } from "../../http/verbs/record.ts";
import { portType } from "../../well-known-ports.ts";

/** A port of a host as callers see it (API contract, section 9). */
export const portSchema = z
  .object({
    ...recordFields,
    ...historyFields,
    host_id: id,
    number: integer(1, 65_535),
    protocol: z.enum(transportProtocols),
    type: z
      .string()
      .max(32)
      .meta({ description: "Its well-known name, such as `Https`; else `Custom`." }),
  })
  .meta({ id: "Port", description: "A version of an open port of a host." });
export type Port = z.output<typeof portSchema>;
labelBy(portSchema, ({ number, protocol }) => `${number}/${protocol}`);

/** What is read of a port. */
export const portColumns = columnsOf(ports, portSchema.omit({ type: true }));

/** A port as callers see it. */
export const toPort = (row: RowOf<typeof portColumns>): Port => ({
  ...row,
  type: portType(row.number, row.protocol),
});

/** The ports of hosts. */
export const portResource = historical({
  entity: "Port" as const,
  schema: portSchema,
  path: "/api/v1/ports",
  table: ports,
  columns: portColumns,
  bytes: 700,
  orderFields: {
    created_at: ports.created_at,
    updated_at: ports.updated_at,
    number: ports.number,
  },
  toItem: toPort,
});

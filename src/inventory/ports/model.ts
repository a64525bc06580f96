import * as z from "zod";
import { columnsOf, type RowOf } from "../../database/columns-of.ts";
import { columnsAt, live } from "../../database/history.ts";
import { ports, transportProtocols } from "../../database/tables/index.ts";
import { portType } from "../../discovery/well-known-ports.ts";
import { id } from "../../http/input/id.ts";
import { integer } from "../../http/input/integer.ts";
import { labelBy } from "../../http/list/formats/csv.ts";
import { historical } from "../../http/verbs/historical.ts";
import { historyFields, recordFields } from "../../http/verbs/record.ts";
import type { Variant } from "../../http/verbs/resource.ts";
import { isOpen } from "../is-open.ts";

/** The schema of a host's port (API contract, section 9). */
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
    is_open: z.boolean().meta({
      description: "True while a service is bound to it. A closed port keeps its id.",
    }),
  })
  .meta({ id: "Port", description: "A version of a host's port, open or closed." });
export type Port = z.output<typeof portSchema>;
labelBy(portSchema, ({ number, protocol }) => `${number}/${protocol}`);

const own = columnsOf(ports, portSchema.omit({ type: true, is_open: true }));

export const portColumns = ({ versions }: Variant) => ({
  ...columnsAt(ports, own, versions),
  is_open: isOpen("port_id", ports.live_id, versions),
});

/** Maps a row to a port in the response format. */
export const toPort = ({ is_open, ...row }: RowOf<ReturnType<typeof portColumns>>): Port => ({
  ...row,
  type: portType(row.number, row.protocol),
  is_open,
});

export const portResource = historical(
  {
    entity: "Port" as const,
    schema: portSchema,
    path: "/api/v1/ports",
    table: ports,
    columns: portColumns({ versions: live }),
    bytes: 700,
    orderFields: {
      created_at: ports.created_at,
      updated_at: ports.updated_at,
      number: ports.number,
    },
    toItem: toPort,
  },
  (chosen) => (chosen.versions.kind === "live" ? {} : { columns: portColumns(chosen) }),
);

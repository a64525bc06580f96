import { sql } from "drizzle-orm";
import { pickColumns } from "../../database/columns-of.ts";
import type { Database } from "../../database/connection.ts";
import { recordset } from "../../database/recordset.ts";
import { bindings } from "../../database/tables/index.ts";
import type { WrittenRow } from "../writes/child-rows.ts";
import type { BindingInput } from "./input.ts";

/**
 * Deletes the bindings that a binding to all addresses replaces: the bindings of the same service
 * and port to individual addresses (API contract, section 9).
 */
export const deleteReplaced = (
  database: Database,
  written: readonly (Omit<BindingInput, "id"> & WrittenRow)[],
) =>
  database.execute(sql`
    delete from ${bindings} as single
    using ${recordset(
      "sent",
      written.flatMap(({ id, type, service_id, port_id, ip_address_id }) =>
        type === "Port" && ip_address_id === null ? [{ id, service_id, port_id }] : [],
      ),
      pickColumns(bindings, "id", "service_id", "port_id"),
    )}
    where single.service_id = sent.service_id and single.port_id = sent.port_id
      and single.ip_address_id is not null and single.valid_to is null
      and single.id not in (${
        written.length === 0
          ? sql`null`
          : sql.join(
              written.map(({ id }) => sql`${id}::uuid`),
              sql`, `,
            )
      })`);

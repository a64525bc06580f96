import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { partsOf, type Versions } from "../database/history.ts";
import { bindings } from "../database/tables/index.ts";
import { choice } from "../http/input/choice.ts";
import { filter } from "../http/list/filter.ts";

/**
 * The condition that a port or a service is open: a binding of it is live, or was at the instant of the
 * versions (API contract, section 9). Of one record it is a single look-up in the index of bindings by port or by service.
 * @param column the column of bindings that refers to the record
 * @param record the id of its live version
 */
export const isOpen = (
  column: "port_id" | "service_id",
  record: SQLWrapper,
  versions: Versions,
): SQL<boolean> =>
  sql<boolean>`exists (select from ${bindings} where ${partsOf(bindings, column, record, versions)})`;

/** The filter `is_open` of ports and of services: its parameters are those of {@link isOpen}. */
export const openFilter = (column: "port_id" | "service_id", record: SQLWrapper) =>
  filter(
    choice(["true", "false"]).transform((value) => value === "true"),
    (wanted, versions) =>
      wanted ? isOpen(column, record, versions) : sql`not ${isOpen(column, record, versions)}`,
  );

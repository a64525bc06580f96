import { type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { partsOf, type Versions } from "../database/history.ts";
import { bindings } from "../database/tables/index.ts";
import { booleanText } from "../http/input/boolean-text.ts";
import { filter } from "../http/list/filter.ts";

/**
 * True if a port or service is open: one of its bindings is live, or was at the instant of the
 * versions (API contract, section 9). For one record, this is a single lookup in the index of
 * bindings by port or by service.
 * @param column the column of bindings that refers to the record
 * @param record the id of the record's live version
 */
export const isOpen = (
  column: "port_id" | "service_id",
  record: SQLWrapper,
  versions: Versions,
): SQL<boolean> =>
  sql<boolean>`exists (select from ${bindings} where ${partsOf(bindings, column, record, versions)})`;

/** Creates the `is_open` filter for ports or services, with the parameters of {@link isOpen}. */
export const openFilter = (column: "port_id" | "service_id", record: SQLWrapper) =>
  filter(booleanText, (mustBeOpen, versions) =>
    mustBeOpen ? isOpen(column, record, versions) : sql`not ${isOpen(column, record, versions)}`,
  );

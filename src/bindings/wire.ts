import { getTableColumns } from "drizzle-orm";
import { bindings } from "../database/tables/index.ts";

const { organization_id, live_id, live_service_id, live_port_id, live_ip_address_id, ...columns } =
  getTableColumns(bindings);

/** A version of a binding as callers see it: the columns, under their own names. */
export const bindingColumns = columns;

/** A version of a binding as callers see it. */
export type Binding = {
  [Name in keyof typeof columns]:
    | (typeof columns)[Name]["_"]["data"]
    | ((typeof columns)[Name]["_"]["notNull"] extends true ? never : null);
};

import type { PgTable } from "drizzle-orm/pg-core";
import { bindings } from "./bindings.ts";
import { hosts } from "./hosts.ts";
import { interfaces } from "./interfaces.ts";
import { ipAddresses } from "./ip-addresses.ts";
import { neighborKeyColumns, neighbors } from "./neighbors.ts";
import { ports } from "./ports.ts";
import { services } from "./services.ts";
import { subnets } from "./subnets.ts";
import type { changeEntities } from "./webhooks.ts";

type ChangeEntity = (typeof changeEntities)[number];

type ColumnOf<Table extends PgTable> = keyof Table["_"]["columns"] & string;

interface Options<Column extends string> {
  /** The column with the id of the host that a change to the record locks and timestamps. */
  parent: (Column & ("host_id" | "id")) | null;
  /**
   * The natural key, which for children of hosts also includes `host_id`. The key of a host is its
   * id.
   */
  key: readonly Column[];
  /** An SQL expression for a `version`'s label. By default, the labels of the records in `of`. */
  label?: string;
  /** Columns whose changes increment the revision but do not start a new version. */
  unversioned?: readonly Column[];
  /** Columns whose changes neither start a new version nor increment the revision. */
  silent?: readonly Column[];
  /** A column that is set from another column: see app.complete_part_of_host. */
  completed?: { column: Column; from: Column };
  /** The records whose labels form the label; the first of them also determines the host. */
  of?: { readonly [Name in Column]?: ChangeEntity };
  /** The columns that reference other records, besides the host, that change with the record. */
  owners?: readonly (Column & ("service_id" | "interface_id"))[];
  /**
   * The maximum number of live records for each of the `owners`, in addition to the maximum for
   * each host.
   */
  maximumOfOwner?: {
    owner: "interface";
    /** The function that returns the maximum: see drizzle/generate/maximums.ts. */
    maximum: "maximum_neighbors_of_interface";
  };
  /** The plural of the kind in errors, if it differs from the table's name. */
  plural?: string;
}
export type Kind = Options<string> & { table: PgTable };

/** Checks the columns of a declaration against its table. */
export const kind = <Table extends PgTable>(
  table: Table,
  options: Options<ColumnOf<Table>>,
): Kind => ({
  table,
  ...options,
});

/**
 * The kinds of records with history, in the order of changes (API contract, section 11). The
 * migrator generates their triggers and functions from this object and the columns of their tables.
 * A change to a column that is not listed here starts a new version.
 */
export const kinds: Readonly<Record<ChangeEntity, Kind>> = {
  Binding: kind(bindings, {
    parent: "host_id",
    key: ["service_id", "port_id", "ip_address_id"],
    of: { service_id: "Service", port_id: "Port", ip_address_id: "IPAddress" },
    // This is the service's host. When the service moves to another host, its bindings are not
    // considered changed.
    silent: ["host_id"],
    completed: { column: "host_id", from: "service_id" },
    owners: ["service_id"],
  }),
  Host: kind(hosts, {
    parent: "id",
    key: ["live_id"],
    label: "version.name",
    unversioned: ["hidden"],
  }),
  IPAddress: kind(ipAddresses, {
    parent: "host_id",
    key: ["address", "subnet_id"],
    label: "host(version.address)",
    unversioned: ["position"],
    plural: "addresses",
  }),
  Interface: kind(interfaces, {
    parent: "host_id",
    key: ["if_index"],
    label: "coalesce(version.name, version.if_index::text)",
    silent: ["lldp_read_at", "cdp_read_at", "fdb_read_at", "vlans_read_at"],
  }),
  Neighbor: kind(neighbors, {
    parent: "host_id",
    key: neighborKeyColumns,
    label: "coalesce(version.system_name, version.chassis_value)",
    completed: { column: "host_id", from: "interface_id" },
    owners: ["interface_id"],
    maximumOfOwner: { owner: "interface", maximum: "maximum_neighbors_of_interface" },
  }),
  Port: kind(ports, {
    parent: "host_id",
    key: ["number", "protocol"],
    label: "version.number || '/' || version.protocol",
  }),
  Service: kind(services, {
    parent: "host_id",
    key: ["service_definition", "name"],
    label: "version.name",
    unversioned: ["position"],
    completed: { column: "service_definition", from: "name" },
  }),
  Subnet: kind(subnets, { parent: null, key: ["network_id", "cidr"], label: "version.name" }),
};

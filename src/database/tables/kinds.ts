import type { PgTable } from "drizzle-orm/pg-core";
import { bindings } from "./bindings.ts";
import { hosts } from "./hosts.ts";
import { interfaces } from "./interfaces.ts";
import { ipAddresses } from "./ip-addresses.ts";
import { ports } from "./ports.ts";
import { services } from "./services.ts";
import { subnets } from "./subnets.ts";
import type { changeEntities } from "./webhooks.ts";

type ChangeEntity = (typeof changeEntities)[number];

type ColumnOf<Table extends PgTable> = keyof Table["_"]["columns"] & string;

interface Options<Column extends string> {
  /** The column with the id of the host that a change locks and stamps. */
  parent: (Column & ("host_id" | "id")) | null;
  /** The natural key, beside `host_id` in a part of a host. The key of a host is its id. */
  key: readonly Column[];
  /** SQL that names a `version` to people. By default the labels of the records that `of` refers to. */
  label?: string;
  /** Columns whose changes raise the revision and begin no version. */
  unversioned?: readonly Column[];
  /** Columns whose changes raise no revision either. */
  silent?: readonly Column[];
  /** The records that its label consists of; the first one also has its host. */
  of?: { readonly [Name in Column]?: ChangeEntity };
  /** Other records that change with it, beside the host. */
  owners?: readonly (Column & "service_id")[];
  /** What errors call it in the plural, if not as its table. */
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
 * The kinds of records with history, in the order of changes (API contract, section 11). The migrator makes their
 * triggers and functions from this and the columns of their tables: a column that is not listed here begins a version.
 */
export const kinds: Readonly<Record<ChangeEntity, Kind>> = {
  Binding: kind(bindings, {
    parent: "host_id",
    key: ["service_id", "port_id", "ip_address_id"],
    of: { service_id: "Service", port_id: "Port", ip_address_id: "IPAddress" },
    // The service's: where that moves to another host, its bindings have not changed.
    silent: ["host_id"],
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
  }),
  Subnet: kind(subnets, { parent: null, key: ["network_id", "cidr"], label: "version.name" }),
};

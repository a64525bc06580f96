import { type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import * as z from "zod";
import { columnsOf, type RowOf } from "../../database/columns-of.ts";
import { columnsAt, live, type Versions, versionsAs } from "../../database/history.ts";
import {
  bindings,
  bindingTypes,
  ipAddresses,
  ports,
  services,
} from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { textOf } from "../../http/input/text.ts";
import { timestamp } from "../../http/input/timestamp.ts";
import { labelBy } from "../../http/list/formats/csv.ts";
import { historical } from "../../http/verbs/historical.ts";
import { recordFields } from "../../http/verbs/record.ts";
import type { Variant } from "../../http/verbs/resource.ts";

/**
 * The schema of a value that is always null. Client generators do not have a type for null alone.
 */
const typeOfNull = { type: ["string", "null"], maxLength: 0 };

/** The port of a binding without a port: always null, in requests and in responses. */
export const noPort = z
  .null()
  .meta({ description: "Always null.", input: typeOfNull, output: typeOfNull });

/** The fields of both types of bindings, whether read alone or inside their service. */
const common = {
  ...recordFields,
  service_id: id,
  network_id: id,
  last_seen_at: timestamp,
  valid_from: timestamp,
  valid_to: timestamp.nullable().meta({
    description: "The end of this version's validity; null for the live version.",
  }),
  first_discovery_id: id.nullable(),
  last_discovery_id: id.nullable(),
  lineage_id: id.nullable().meta({
    description: "The id of the live version; null for the live version itself.",
  }),
};

const kinds = {
  Port: {
    type: z.literal("Port"),
    port_id: id,
    ip_address_id: id.nullable().meta({ description: "Null for all addresses of the host." }),
  },
  IPAddress: { type: z.literal("IPAddress"), port_id: noPort, ip_address_id: id },
};
const descriptions = {
  Port: "A binding to a port, on one address or on all.",
  IPAddress: "A binding to an address, without a port.",
};

/** The schema of a binding inside its service, which states the host. */
export const serviceBindingSchema = z
  .discriminatedUnion("type", [
    z
      .object({ ...common, ...kinds.Port })
      .meta({ id: "ServicePortBinding", description: descriptions.Port }),
    z
      .object({ ...common, ...kinds.IPAddress })
      .meta({ id: "ServiceIPAddressBinding", description: descriptions.IPAddress }),
  ])
  .meta({ id: "ServiceBinding", description: "A version of a binding, inside its service." });
export type ServiceBinding = z.output<typeof serviceBindingSchema>;
labelBy(serviceBindingSchema, ({ id }) => `${id}`);

/** The fields that come from the service, port and address of a binding. */
const derived = {
  host_id: id.meta({ description: "The host of its service." }),
  label: textOf(1, 400).meta({
    description: "The service with the port or address, or both: `nginx 443/Tcp 10.0.0.7`.",
  }),
};

/** The schema of a version of a binding (API contract, section 5). */
export const bindingSchema = z
  .discriminatedUnion("type", [
    z
      .object({ ...common, ...derived, ...kinds.Port })
      .meta({ id: "PortBinding", description: descriptions.Port }),
    z
      .object({ ...common, ...derived, ...kinds.IPAddress })
      .meta({ id: "IPAddressBinding", description: descriptions.IPAddress }),
  ])
  .meta({
    id: "Binding",
    description: "A version of the link between a service, a network, a port and an IP address.",
  });
export type Binding = z.output<typeof bindingSchema>;

/** The columns of a binding inside its service. */
export const serviceBindingColumns = columnsOf(
  bindings,
  z.object({
    ...common,
    type: z.enum(bindingTypes),
    port_id: id.nullable(),
    ip_address_id: id.nullable(),
  }),
);

/** Returns SQL that reads a value of the record that a binding refers to, valid at the same time. */
function ofReferred<Value>(
  column: "service_id" | "port_id" | "ip_address_id",
  table: PgTable,
  value: SQL,
  versions: Versions,
): SQL<Value> {
  const id = sql`${bindings}.${sql.identifier(column)}`;
  // A live binding refers to live records only, which the primary key finds faster.
  const isReferred =
    versions.kind === "live"
      ? sql`known.id = ${id}`
      : sql`known.live_id = ${id} and ${versionsAs("known", versions)} limit 1`;
  return sql`(select ${value} from ${table} as known where ${isReferred})`;
}

/**
 * The host of a binding's service. A closed version keeps the host at which it was closed, while the
 * service may have been on another host at the instant.
 */
const hostOf = (versions: Versions) =>
  versions.kind === "live"
    ? sql<string>`${bindings.host_id}`
    : ofReferred<string>("service_id", services, sql`known.host_id`, versions);

/** The label of a binding, as in changes (`app.change_kinds`). */
const labelOf = (versions: Versions): SQL<string> => sql`concat_ws(' ',
  ${ofReferred("service_id", services, sql`known.name`, versions)},
  ${ofReferred("port_id", ports, sql`known.number || '/' || known.protocol`, versions)},
  ${ofReferred("ip_address_id", ipAddresses, sql`host(known.address)`, versions)})`;

/**
 * The columns of versions of bindings. The derived fields take more time to read than all others,
 * and an empty text replaces those that the response omits.
 */
const columnsOfVersions = ({ versions, fields }: Variant) => {
  const isOmitted = (field: string) => fields !== undefined && !fields.includes(field);
  return {
    ...columnsAt(bindings, serviceBindingColumns, versions),
    host_id: isOmitted("host_id") ? sql<string>`''` : hostOf(versions),
    label: isOmitted("label") ? sql<string>`''` : labelOf(versions),
  };
};

export const bindingResource = historical(
  {
    entity: "Binding" as const,
    schema: bindingSchema,
    path: "/api/v1/bindings",
    table: bindings,
    columns: columnsOfVersions({ versions: live }),
    bytes: 800,
    orderFields: { created_at: bindings.created_at, updated_at: bindings.updated_at },
    // Table constraints ensure that the ids match the type.
    toItem: (row: RowOf<ReturnType<typeof columnsOfVersions>>) => row as Binding,
  },
  (chosen) => ({ columns: columnsOfVersions(chosen) }),
);

/** The bindings of a service, without the derived fields. */
export const serviceBindingResource = historical({
  entity: "Binding" as const,
  schema: serviceBindingSchema,
  path: "/api/v1/bindings",
  table: bindings,
  columns: serviceBindingColumns,
  bytes: 700,
  orderFields: { created_at: bindings.created_at, updated_at: bindings.updated_at },
  // Table constraints ensure that the ids match the type.
  toItem: (row: RowOf<typeof serviceBindingColumns>) => row as ServiceBinding,
});

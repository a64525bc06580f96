import { type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { lengthsOf } from "../../database/columns-of.ts";
import { partsOf } from "../../database/history.ts";
import { bytesOfMembersAt } from "../../database/sets.ts";
import {
  bindings,
  credentialHostIpAddresses,
  credentialHosts,
  hostDetails,
  hosts,
  interfaces,
  ipAddresses,
  ports,
  services,
} from "../../database/tables/index.ts";
import type { Variant } from "../../http/verbs/resource.ts";
import { serviceTexts } from "../services/bytes.ts";
import { hostTags, serviceTags } from "../writes/tag-sets.ts";

/** The variant of hosts that a request chooses: lists can omit the children. */
export interface HostVariant extends Variant {
  include_children?: boolean | undefined;
}

const assignments = sql`(
  select coalesce(sum(82 + 39 * (
    select count(*) from ${credentialHostIpAddresses} as address
    where address.organization_id = assignment.organization_id
      and address.credential_id = assignment.credential_id
      and address.host_id = assignment.host_id)), 0)
  from ${credentialHosts} as assignment
  where assignment.organization_id = ${hosts.organization_id}
    and assignment.host_id = ${hosts.live_id})`;

/**
 * Estimates the size of a host's JSON in bytes: its strings and those of its parts, its sets, and a
 * fixed number of bytes for each record. Closed versions can be up to an eighth larger, and escaped
 * characters up to six times as long. Only strings are measured: measuring whole rows as text took
 * as long as the rest of the query.
 */
export const bytesOf = ({ versions, include_children = true }: HostVariant): SQL => {
  const sumOf = (table: PgTable, bytes: SQL) =>
    sql`(select coalesce(sum(${bytes}), 0) from ${table}
      where ${partsOf(table, "host_id", hosts.live_id, versions)})`;
  // A binding belongs to the current host of its service. At an instant that has only just passed,
  // hardly any bindings belonged to a different host.
  const isPast = versions.kind === "at";
  const binding = sql`560`;
  const address = sql`640 + ${lengthsOf([ipAddresses.name])}`;
  const service = sql`640 + ${lengthsOf(serviceTexts)}
    + ${bytesOfMembersAt(serviceTags, { table: sql`${services}`, key: "live_id" }, versions)}
    ${
      isPast
        ? sql`+ ${binding} * (select count(*) from ${bindings}
      where ${partsOf(bindings, "service_id", services.live_id, versions)})`
        : sql``
    }`;
  const children = [
    sumOf(services, service),
    sumOf(ipAddresses, address),
    sumOf(ports, sql`560`),
    sumOf(
      interfaces,
      sql`700 + 39 * cardinality(${interfaces.ip_address_ids})
        + ${lengthsOf([interfaces.name, interfaces.description])}`,
    ),
    ...(isPast ? [] : [sumOf(bindings, binding)]),
  ];
  const bytes = [
    sql`870`,
    lengthsOf(["name" as const, ...hostDetails].map((name) => hosts[name])),
    bytesOfMembersAt(hostTags, { table: sql`${hosts}`, key: "live_id" }, versions),
    assignments,
    ...(include_children ? children : []),
  ];
  return sql`(${sql.join(bytes, sql` + `)})`;
};

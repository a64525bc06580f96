import { type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { pickColumns } from "../../database/columns-of.ts";
import type { BodyPath } from "../../database/failure.ts";
import { type Guard, invalidWhere, type PathOf } from "../../database/guards.ts";
import { recordset } from "../../database/recordset.ts";
import {
  hosts,
  interfaces,
  ipAddresses,
  neighborKeyColumns,
  neighbors,
  ports,
} from "../../database/tables/index.ts";
import type { ListKey } from "../../http/input/each-once.ts";
import { canonicalAddress } from "../../http/input/network.ts";
import type { WrittenRow } from "../writes/child-rows.ts";
import { type Identifier, neighborTable } from "../writes/child-tables.ts";

export interface PlacedRow {
  row: WrittenRow;
  /** The prefix of its fields in the body, such as `body[2].ports[0].`. */
  path: BodyPath;
}

interface Options {
  /** True if the request deletes the host's children that it does not list. */
  isWhole?: boolean;
}

/** The key of a port within one request. */
export const portKey: ListKey<{ host_id?: unknown; number: number; protocol: string }> = {
  of: ({ host_id, number, protocol }) => `${host_id}/${number}/${protocol}`,
  field: "number",
  message: "is already a port of this request: send each number and protocol of a host once",
};

/** The key of an address within one request. An omitted subnet is not determined here. */
export const addressKey: ListKey<{
  host_id?: unknown;
  subnet_id?: string | null | undefined;
  ip_address: string;
}> = {
  of: ({ host_id, subnet_id, ip_address }) => `${host_id}/${subnet_id}/${ip_address}`,
  field: "ip_address",
  message: "is already an address of this request: send each address of a host and subnet once",
};

/** The key of an interface within one request. */
export const interfaceKey: ListKey<{ host_id?: unknown; if_index: number }> = {
  of: ({ host_id, if_index }) => `${host_id}/${if_index}`,
  field: "if_index",
  message: "is already an interface of this request: send each number of a host once",
};

const identifierKey = ({ subtype, value }: Identifier): string =>
  `${subtype} ${subtype === "NetworkAddress" ? canonicalAddress(value) : value}`;

/** The key of a neighbor within one request. */
export const neighborKey: ListKey<{
  interface_id?: unknown;
  protocol: string;
  chassis_id: Identifier;
  port_id: Identifier | null;
}> = {
  of: ({ interface_id, protocol, chassis_id, port_id }) =>
    JSON.stringify([
      interface_id,
      protocol,
      identifierKey(chassis_id),
      port_id && identifierKey(port_id),
    ]),
  field: "chassis_id",
  message:
    "is already a neighbor of this request: send each protocol, chassis and port of an interface once",
};

/** Pairs the records of a request with their paths in the body. */
export const placedRows = (rows: readonly WrittenRow[], pathOf: PathOf): PlacedRow[] =>
  rows.map((row, position) => ({ row, path: pathOf(position) }));

/**
 * The rows as the relation `sent`, with their `path` in the body and their `rank` in the request.
 */
const sentAs = (
  rows: readonly PlacedRow[],
  fields: Readonly<Record<string, PgColumn | string>>,
): SQL =>
  recordset(
    "sent",
    rows.map(({ row, path }, rank) => ({ ...row, path, rank })),
    { ...fields, path: "text", rank: "int" },
  );

/**
 * True if `taken` keeps its key when `sent` is written. If the request lists a host's children,
 * unlisted children are deleted and the others are updated in one statement, so two children can
 * swap keys.
 */
const isStillThere = ({ isWhole }: Options): SQL =>
  isWhole ? sql`taken.host_id <> sent.host_id` : sql`true`;

/** Rejects a port if its host has another one with the same number and protocol. */
export const portTaken = (rows: readonly PlacedRow[], options: Options = {}): Guard[] =>
  rows.length === 0
    ? []
    : [
        sql`
  select 'entity_already_exists', jsonb_build_object('entity', 'Port',
    'field', sent.path || 'number', 'id', taken.id)
  from ${sentAs(rows, pickColumns(ports, "id", "host_id", "number", "protocol"))}
  join ${ports} as taken on taken.live_host_id = sent.host_id
    and taken.number = sent.number and taken.protocol = sent.protocol and taken.id <> sent.id
  where ${isStillThere(options)}
  order by sent.rank limit 1`,
      ];

/** Rejects an interface if its host has another one with the same number. */
export const interfaceTaken = (rows: readonly PlacedRow[], options: Options = {}): Guard[] =>
  rows.length === 0
    ? []
    : [
        sql`
  select 'entity_already_exists', jsonb_build_object('entity', 'Interface',
    'field', sent.path || 'if_index', 'id', taken.id)
  from ${sentAs(rows, pickColumns(interfaces, "id", "host_id", "if_index"))}
  join ${interfaces} as taken on taken.live_host_id = sent.host_id
    and taken.if_index = sent.if_index and taken.id <> sent.id
  where ${isStillThere(options)}
  order by sent.rank limit 1`,
      ];

/** Rejects a neighbor if its interface has another one with the same protocol, chassis and port. */
export const neighborTaken = (rows: readonly PlacedRow[]): Guard[] =>
  rows.length === 0
    ? []
    : [
        sql`
  select 'entity_already_exists', jsonb_build_object('entity', 'Neighbor',
    'field', sent.path || 'chassis_id', 'id', taken.id)
  from ${sentAs(rows, pickColumns(neighbors, "id", ...neighborKeyColumns))}
  join ${neighbors} as taken on taken.live_interface_id = sent.interface_id
    and taken.protocol = sent.protocol and taken.chassis_subtype = sent.chassis_subtype
    and taken.chassis_value = ${neighborTable.expressions.chassis_value}
    and taken.port_subtype is not distinct from sent.port_subtype
    and taken.port_value is not distinct from ${neighborTable.expressions.port_value}
    and taken.id <> sent.id
  order by sent.rank limit 1`,
      ];

/**
 * Returns a subquery that selects the rows with their subnets. If the subnet is omitted, it is
 * determined in the same way as when the record is written.
 */
const sentAddresses = (rows: readonly PlacedRow[]): SQL => sql`(
  select sent.id, sent.host_id, sent.address, sent.path, sent.rank,
    case when sent.has_subnet then sent.subnet_id
      else app.subnet_of((select app.organization_id()), coalesce(owner.network_id, sent.network_id),
        sent.address) end as subnet_id
  from ${sentAs(rows, {
    ...pickColumns(ipAddresses, "id", "host_id", "network_id", "address", "subnet_id"),
    has_subnet: "boolean",
  })}
  left join ${hosts} as owner on owner.id = sent.host_id and owner.valid_to is null)`;

const isSameAddress = (other: SQL): SQL => sql`${other}.address = sent.address and (
  ${other}.subnet_id = sent.subnet_id
  or (${other}.host_id = sent.host_id and ${other}.subnet_id is not distinct from sent.subnet_id))`;

/**
 * Rejects an address that its host or subnet already has, or that the request contains twice.
 * @param rows rows with `address`, `subnet_id` and `has_subnet`; for a new host also `network_id`
 */
export const addressTaken = (rows: readonly PlacedRow[], options: Options = {}): Guard[] =>
  rows.length === 0
    ? []
    : [
        invalidWhere(
          sql`
    with sent as materialized (select * from ${sentAddresses(rows)} as sent)
    select sent.path || 'ip_address' as path, sent.rank as position
    from sent where exists (
      select from sent as other
      where other.rank < sent.rank and ${isSameAddress(sql`other`)})`,
          addressKey.message,
        ),
        sql`
  select 'entity_already_exists', jsonb_build_object('entity', 'IPAddress',
    'field', sent.path || 'ip_address', 'id', taken.id)
  from ${sentAddresses(rows)} as sent
  join ${ipAddresses} as taken on taken.valid_to is null and taken.id <> sent.id
    and ${isSameAddress(sql`taken`)}
  where ${isStillThere(options)}
  order by sent.rank limit 1`,
      ];

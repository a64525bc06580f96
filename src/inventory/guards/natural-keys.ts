import { type SQL, sql } from "drizzle-orm";
import type { BodyPath } from "../../database/failure.ts";
import { type Guard, invalidWhere } from "../../database/guards.ts";
import type { ListKey } from "../../http/input/each-once.ts";
import type { WrittenRow } from "../writes/child-rows.ts";

/** A row that a request writes. */
export interface PlacedRow {
  row: WrittenRow;
  /** Where its fields stand in the body, such as `body[2].ports[0].`. */
  path: BodyPath;
}

interface Options {
  /** Whether the rows of a host that were not sent go away, as in a request that lists its children. */
  isWhole?: boolean;
}

/** What tells ports of one host apart. */
export const portKey: ListKey<{ host_id?: unknown; number: number; protocol: string }> = {
  of: ({ host_id, number, protocol }) => `${host_id}/${number}/${protocol}`,
  field: "number",
  message: "is a port of this request already: send each number and protocol of a host once",
};

/** What tells addresses of one host apart, as far as the request itself says. */
export const addressKey: ListKey<{
  host_id?: unknown;
  subnet_id?: string | null | undefined;
  ip_address: string;
}> = {
  of: ({ host_id, subnet_id, ip_address }) => `${host_id}/${subnet_id}/${ip_address}`,
  field: "ip_address",
  message: "is an address of this request already: send each address of a host and subnet once",
};

/** What tells interfaces of one host apart. */
export const interfaceKey: ListKey<{ host_id?: unknown; if_index: number }> = {
  of: ({ host_id, if_index }) => `${host_id}/${if_index}`,
  field: "if_index",
  message: "is an interface of this request already: send each number of a host once",
};

const placed = (rows: readonly PlacedRow[]) =>
  JSON.stringify(rows.map(({ row, path }, rank) => ({ ...row, path, rank })));

/**
 * Whether `taken` keeps its key when `sent` is written. Where a host's children are listed, unlisted
 * children are deleted and the rest updated in one statement, so two may swap keys.
 */
const isStillThere = ({ isWhole }: Options): SQL =>
  isWhole ? sql`taken.host_id <> sent.host_id` : sql`true`;

/** A host has another port of this number and protocol. */
export const portTaken = (rows: readonly PlacedRow[], options: Options = {}): Guard[] =>
  rows.length === 0
    ? []
    : [
        sql`
  select 'entity_already_exists', jsonb_build_object('entity', 'Port',
    'field', sent.path || 'number', 'id', taken.id)
  from jsonb_to_recordset(${placed(rows)}::jsonb)
    as sent (id uuid, host_id uuid, number int, protocol text, path text, rank int)
  join ports as taken on taken.host_id = sent.host_id and taken.valid_to is null
    and taken.number = sent.number and taken.protocol = sent.protocol and taken.id <> sent.id
  where ${isStillThere(options)}
  order by sent.rank limit 1`,
      ];

/** A host has another interface of this number. */
export const interfaceTaken = (rows: readonly PlacedRow[], options: Options = {}): Guard[] =>
  rows.length === 0
    ? []
    : [
        sql`
  select 'entity_already_exists', jsonb_build_object('entity', 'Interface',
    'field', sent.path || 'if_index', 'id', taken.id)
  from jsonb_to_recordset(${placed(rows)}::jsonb)
    as sent (id uuid, host_id uuid, if_index int, path text, rank int)
  join interfaces as taken on taken.live_host_id = sent.host_id
    and taken.if_index = sent.if_index and taken.id <> sent.id
  where ${isStillThere(options)}
  order by sent.rank limit 1`,
      ];

/** The rows with their subnets, those that were left out found as the write will find them. */
const sentAddresses = (rows: readonly PlacedRow[]): SQL => sql`(
  select sent.id, sent.host_id, sent.address, sent.path, sent.rank,
    case when sent.has_subnet then sent.subnet_id
      else app.subnet_of((select app.organization_id()), coalesce(owner.network_id, sent.network_id),
        sent.address) end as subnet_id
  from jsonb_to_recordset(${placed(rows)}::jsonb) as sent (id uuid, host_id uuid, network_id uuid,
    address inet, subnet_id uuid, has_subnet boolean, path text, rank int)
  left join hosts as owner on owner.id = sent.host_id and owner.valid_to is null)`;

const isSameAddress = (other: SQL): SQL => sql`${other}.address = sent.address and (
  ${other}.subnet_id = sent.subnet_id
  or (${other}.host_id = sent.host_id and ${other}.subnet_id is not distinct from sent.subnet_id))`;

/**
 * A host or a subnet has another such address, or the request sends one twice.
 * @param rows with `address`, `subnet_id` and `has_subnet`; of a new host also with `network_id`
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
  join ip_addresses as taken on taken.valid_to is null and taken.id <> sent.id
    and ${isSameAddress(sql`taken`)}
  where ${isStillThere(options)}
  order by sent.rank limit 1`,
      ];

import { type SQL, sql } from "drizzle-orm";
import { endsAt, live, versionsAs, versionsAt } from "../../database/history.ts";
import { bindings } from "../../database/tables/index.ts";
import { id } from "../../http/input/id.ts";
import { seenFilters } from "../../http/verbs/historical.ts";

/** Narrows a list to bindings that match all of these. */
export interface BindingFilters {
  /** Ids of live versions. */
  ids?: readonly string[] | undefined;
  /** What somebody typed: found where it is an id that the binding carries. */
  q?: string | undefined;
  service_id?: string | undefined;
  network_id?: string | undefined;
  port_id?: string | undefined;
  ip_address_id?: string | undefined;
  /** Of a service of this host. */
  host_id?: string | undefined;
  last_seen_after?: string | undefined;
  last_seen_before?: string | undefined;
}

/** By which columns versions are found. Each has an index that begins with it. */
interface FilterColumns {
  id: SQL;
  service: SQL;
  port: SQL;
  ip_address: SQL;
}

const ofAll: FilterColumns = {
  id: sql`live_id`,
  service: sql`service_id`,
  port: sql`port_id`,
  ip_address: sql`ip_address_id`,
};

/** Columns that say the same of live versions. Others have something else in them, or nothing. */
const ofLive: FilterColumns = {
  id: sql`id`,
  service: sql`live_service_id`,
  port: sql`live_port_id`,
  ip_address: sql`live_ip_address_id`,
};

const carries = (text: string, columns: FilterColumns): SQL => {
  const { success, data } = id.safeParse(text);
  const conditions = Object.values(columns).map((column) => sql`${column} = ${data}`);
  return success ? sql`(${sql.join(conditions, sql` or `)})` : sql`false`;
};

const seen = seenFilters(bindings);

const conditions = (filters: Omit<BindingFilters, "host_id">, columns: FilterColumns): SQL => {
  const { ids, q, network_id, service_id, port_id, ip_address_id } = filters;
  const { last_seen_after, last_seen_before } = filters;
  const wanted = (column: SQL, value: string | undefined) =>
    value === undefined ? [] : [sql` and ${column} = ${value}`];
  return sql.join([
    ...(ids ? [sql` and ${columns.id} = any (${sql.param(ids)}::uuid[])`] : []),
    ...(q === undefined ? [] : [sql` and ${carries(q, columns)}`]),
    ...wanted(sql`network_id`, network_id),
    ...wanted(columns.service, service_id),
    ...wanted(columns.port, port_id),
    ...wanted(columns.ip_address, ip_address_id),
    ...(last_seen_after === undefined
      ? []
      : [sql` and ${seen.last_seen_after.matches(last_seen_after, live)}`]),
    ...(last_seen_before === undefined
      ? []
      : [sql` and ${seen.last_seen_before.matches(last_seen_before, live)}`]),
  ]);
};

/** Whether a filter finds few versions, by an index of its own. */
export const isNarrow = ({
  network_id: _,
  last_seen_after: __,
  last_seen_before: ___,
  ...narrow
}: BindingFilters): boolean => Object.values(narrow).some((value) => value !== undefined);

/** The condition that versions match which are live anyway. */
export const matchingLive = ({ host_id, ...filters }: BindingFilters): SQL =>
  host_id === undefined
    ? conditions(filters, ofLive)
    : sql`${conditions(filters, ofLive)} and live_host_id = ${host_id}`;

/**
 * The condition that versions match which hold at an instant anyway. It says once more that they end
 * later, in the form of the indexes of narrow filters, which can so skip those that ended before.
 */
export const matchingAt = ({ host_id, ...filters }: BindingFilters, at: SQL): SQL =>
  sql.join([
    conditions(filters, ofAll),
    ...(host_id === undefined ? [] : [sql` and service_id in (${servicesOf(host_id, at)})`]),
    ...(isNarrow({ host_id, ...filters }) ? [sql` and ${endsAt(sql`bindings`)} > ${at}`] : []),
  ]);

/** The services of a host at an instant: bindings that were closed long ago do not know their host. */
const servicesOf = (host_id: string, at: SQL): SQL => sql`
  select service.live_id from services as service
  where service.host_id = ${host_id} and ${versionsAs("service", versionsAt(at))}`;

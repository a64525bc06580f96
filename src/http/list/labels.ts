import { sql } from "drizzle-orm";
import type * as z from "zod";
import { type Entity, entities } from "../../database/collection.ts";
import type { TenantSession } from "../../database/session.ts";
import type { Labels } from "../envelope.ts";
import { IssueList, validationFailed } from "../validation/issues.ts";

/** The kinds of records that fields refer to, by the names of the fields. */
export const referredKinds: Readonly<Record<string, Entity>> = {
  assigned_network_ids: "Network",
  credential_id: "Credential",
  credential_ids: "Credential",
  daemon_id: "Daemon",
  host_id: "Host",
  interface_id: "Interface",
  interfaced_subnet_ids: "Subnet",
  ip_address_id: "IPAddress",
  ip_address_ids: "IPAddress",
  network_id: "Network",
  network_ids: "Network",
  organization_id: "Organization",
  parent_id: "Subnet",
  port_id: "Port",
  service_id: "Service",
  subnet_id: "Subnet",
  subnet_ids: "Subnet",
  tags: "Tag",
  webhook_id: "Webhook",
};

/** The kinds of records in lists within other records, by the names of the fields. */
const childKinds: Readonly<Record<string, Entity>> = {
  bindings: "Binding",
  interfaces: "Interface",
  ip_addresses: "IPAddress",
  neighbors: "Neighbor",
  ports: "Port",
  services: "Service",
};

/** Checks that a query does not request the labels of a whole list, which is sent in chunks. */
export function checkLabels({
  value: { include, limit },
  issues,
}: z.core.ParsePayload<{ include?: unknown; limit?: unknown }>): void {
  if ([include].flat().includes("labels") && limit === 0) {
    issues.push({
      code: "custom",
      path: ["limit"],
      input: limit,
      message: "must be a whole number from 1 to 1000 with include=labels",
    });
  }
}

const refused = (path: string, message: string) =>
  validationFailed(IssueList.of({ path, message, code: "custom" }));

/** The 400 error for a request for labels in a format that has no `meta`. */
export const labelsNeedJson = () =>
  refused("query.include", "must be omitted with CSV and NDJSON, which have no meta.labels");

/** The 400 error for a request for labels of a page that is too large to have them. */
export const tooLargeForLabels = () =>
  refused(
    "query.limit",
    "must be smaller with include=labels: the page is larger than about 1 MiB",
  );

/** Ids by the kind of the records that they belong to. */
type Ids = Map<Entity, Set<string>>;

function add(found: Ids, entity: Entity | undefined, id: unknown): void {
  if (entity !== undefined && typeof id === "string") {
    const ids = found.get(entity) ?? new Set();
    found.set(entity, ids.add(id));
  }
}

/** The field with the caller's own texts, which can have the names and the form of references. */
const ownData = "metadata";

/**
 * Collects the ids in a value.
 * @param entity the kind of the value itself, if it is a record
 */
function collect(found: Ids, value: unknown, entity?: Entity): void {
  if (Array.isArray(value)) {
    for (const member of value) {
      collect(found, member, entity);
    }
    return;
  }
  if (typeof value !== "object" || value === null) {
    return;
  }
  const record: Readonly<Record<string, unknown>> = { ...value };
  // A closed version has an id of its own, which does not identify the record.
  add(found, entity, record["lineage_id"] ?? record["id"]);
  const changed = entities.find((one) => one === record["entity"]);
  add(found, changed, record["entity_id"]);
  for (const [name, field] of Object.entries(record)) {
    if (name === ownData) {
      continue;
    }
    for (const id of [field].flat()) {
      add(found, referredKinds[name], id);
    }
    collect(found, field, childKinds[name]);
  }
}

/**
 * Reads the labels of the records that a page contains or refers to, in one database call. A page
 * has at most about 1 MiB, so it contains at most about 27,000 ids.
 * @param options.entity the kind of the page's records
 * @param options.instant the instant at which the labels were valid. By default, the labels are the
 *   current ones, and the last ones of records that have ended
 */
export async function readLabels(
  tenant: TenantSession,
  records: readonly unknown[],
  { entity, instant = null }: { entity?: Entity; instant?: string | null } = {},
): Promise<Labels> {
  const found: Ids = new Map();
  collect(found, records, entity);
  if (found.size === 0) {
    return {};
  }
  const selects = [...found].map(
    ([kind, ids]) =>
      sql`select * from app.labels(${kind}, ${sql.param([...ids])}::uuid[], ${instant}::timestamptz)`,
  );
  const [{ rows }] = await tenant.run((database) => [
    database.execute<{ id: string; label: string }>(sql.join(selects, sql` union all `)),
  ]);
  return Object.fromEntries(rows.map(({ id, label }) => [id, label]));
}

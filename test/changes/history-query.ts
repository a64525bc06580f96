import type { Change } from "../../src/changes/model.ts";

/** The tables of records with history, in the order in which changes are sorted. */
const tables = {
  Binding: "bindings",
  Host: "hosts",
  IPAddress: "ip_addresses",
  Interface: "interfaces",
  Neighbor: "neighbors",
  Port: "ports",
  Service: "services",
  Subnet: "subnets",
} satisfies Record<Change["entity"], string>;

/**
 * Identifies a change and its kind. Treats `returned` as `created`, because versions do not
 * distinguish between them.
 */
export const keyOf = ({
  at,
  entity,
  entity_id,
  change,
}: Pick<Change, "at" | "entity" | "entity_id" | "change">): string =>
  [at, entity, entity_id, change === "returned" ? "created" : change].join(" ");

const selects = Object.entries(tables).map(
  ([entity, table]) => `
    select coalesce(begun.valid_from, ended.valid_to) as at, '${entity}' as entity,
      coalesce(begun.live_id, ended.live_id) as entity_id,
      case when ended.id is null then 'created' when begun.id is null then 'deleted'
        else 'updated' end as change
    from (select * from ${table} where organization_id = $1) as begun
    full join (select * from ${table} where organization_id = $1 and valid_to is not null) as ended
      on ended.live_id = begun.live_id and ended.valid_to = begun.valid_from`,
);

/**
 * Selects the parts of {@link keyOf} for an organization's changes, in order. The changes are
 * derived from its versions.
 */
export const historyQuery = `select * from (${selects.join(" union all ")}) as change
  order by at, entity collate "C", entity_id`;

import { type SQL, sql } from "drizzle-orm";
import { where } from "../../database/collection.ts";
import type { Guard } from "../../database/guards.ts";
import { live } from "../../database/history.ts";
import { hosts, services } from "../../database/tables/index.ts";
import { hostTags } from "../writes/tag-sets.ts";
import { groupBounds } from "./ansible.ts";

/**
 * Rejects an export whose groups would exceed {@link groupBounds}. Counts the live versions, since
 * the instant of an export is always in the immediate past. A host is in the groups of its network,
 * of each of its tags, and of each definition of its services.
 * @param matches the conditions on the exported hosts
 */
export function groupsTooLarge(matches: readonly SQL[]): Guard {
  const tags = sql.identifier(hostTags.table);
  const [owner, tag] = [sql.identifier(hostTags.owner), sql.identifier(hostTags.member)];
  const { members, groups } = groupBounds;
  return sql`
    with exported as materialized (
      select ${hosts.id}, ${hosts.network_id} from ${hosts}
      where ${where({ table: hosts, versions: live }, matches)}),
    groups as (
      select count(*) as members from exported group by network_id
      union all
      select count(*) from ${tags} where ${owner} in (select id from exported) group by ${tag}
      union all
      select count(distinct ${services.live_host_id}) from ${services}
      where ${services.live_host_id} in (select id from exported) group by ${services.service_definition}),
    held as (select coalesce(sum(members), 0) as members, count(*) as groups from groups)
    select 'export_too_large', case
      when held.members > ${members} then jsonb_build_object('maximum', ${members}::int, 'unit', 'members')
      else jsonb_build_object('maximum', ${groups}::int, 'unit', 'groups') end
    from held where held.members > ${members} or held.groups > ${groups}`;
}

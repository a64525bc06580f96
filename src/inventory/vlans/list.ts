import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import { pageBytes } from "../../database/collection.ts";
import { versionsAt, versionsOf } from "../../database/history.ts";
import type { TenantSession } from "../../database/session.ts";
import { setMaximum } from "../../database/sets.ts";
import { interfaces, ipAddresses } from "../../database/tables/index.ts";
import { authenticate } from "../../http/authenticate.ts";
import { handles } from "../../http/declares.ts";
import { factory } from "../../http/factory.ts";
import { choice } from "../../http/input/choice.ts";
import { id } from "../../http/input/id.ts";
import { computedLimit, pageQuery } from "../../http/input/page.ts";
import { instant } from "../../http/input/timestamp.ts";
import { chosenFields, fieldsQuery } from "../../http/list/fields.ts";
import { chosenForm, sentInForms } from "../../http/list/formats/accept.ts";
import {
  checkLabels,
  labelsNeedJson,
  readLabels,
  tooLargeForLabels,
} from "../../http/list/labels.ts";
import { respondComputedPage } from "../../http/list/respond-page.ts";
import { validate } from "../../http/validation/validate.ts";
import { each, hasId, listOf } from "../topology/sql.ts";
import { type Vlan, vlanSchema } from "./model.ts";

const query = z
  .strictObject({
    network_id: id.optional(),
    at: instant.optional(),
    fields: fieldsQuery(vlanSchema).optional(),
    include: choice(["labels"]).optional(),
    ...pageQuery,
  })
  .check(checkLabels);
type Query = z.output<typeof query>;

interface Page extends Record<string, unknown> {
  total_count: number;
  vlans: Omit<Vlan, "name" | "tags">[];
}

/**
 * The id of a VLAN, which is the same in every response: a UUID of version 8 (RFC 9562, section
 * 5.8) with a digest of the network and the number.
 */
const vlanId: SQL = sql`
  overlay(overlay(md5(concat_ws(' ', network_id, vlan_number)) placing '8' from 13) placing 'a' from 17)::uuid`;

/**
 * Reads a page of VLANs as one row. The interfaces of a host are first grouped by their VLANs as a
 * whole, since trunk ports often have the same thousands of VLANs.
 */
function pageOf({ network_id, at, limit, offset }: Query): SQL {
  const versions = versionsAt(at);
  const within =
    network_id === undefined ? sql`` : sql`and ${interfaces.network_id} = ${network_id}::uuid`;
  return sql`
with
  port as materialized (
    select ${interfaces.organization_id}, ${interfaces.network_id}, ${interfaces.host_id},
      ${interfaces.native_vlan}, ${interfaces.tagged_vlans}, ${interfaces.ip_address_ids},
      ${interfaces.created_at}, ${interfaces.updated_at}
    from ${interfaces}
    where ${versionsOf(interfaces, versions)} ${within}
      and (${interfaces.native_vlan} is not null or ${interfaces.tagged_vlans} <> '{}')),
  alike as (
    select organization_id, network_id, host_id, native_vlan, tagged_vlans, count(*) as interfaces,
      min(created_at) as created_at, max(updated_at) as updated_at
    from port group by organization_id, network_id, host_id, native_vlan, tagged_vlans),
  vlan as materialized (
    select alike.organization_id, alike.network_id, member.vlan_number,
      sum(alike.interfaces)::int as interfaces, count(distinct alike.host_id)::int as hosts,
      min(alike.created_at) as created_at, max(alike.updated_at) as updated_at
    from alike cross join lateral (
      select alike.native_vlan where alike.native_vlan is not null
      union select unnest(alike.tagged_vlans)) as member (vlan_number)
    group by alike.organization_id, alike.network_id, member.vlan_number),
  page as materialized (
    select * from vlan order by network_id, vlan_number
    limit ${computedLimit(limit)}::int offset ${offset}::bigint),
  inside as materialized (
    select port.network_id, port.native_vlan as vlan_number,
      (array_agg(distinct ${ipAddresses.subnet_id}))[:${setMaximum}::int] as subnet_ids
    from port cross join lateral unnest(port.ip_address_ids) as own (id)
    ${each(ipAddresses, hasId(ipAddresses, sql`own.id`, versions))}
    where ${ipAddresses.subnet_id} is not null
      and (port.network_id, port.native_vlan) in (select network_id, vlan_number from page)
    group by port.network_id, port.native_vlan)
select (select count(*) from vlan)::int as total_count, ${listOf(sql`
  select ${vlanId} as id, created_at, updated_at, organization_id, network_id, vlan_number, interfaces,
    hosts, coalesce(subnet_ids, '{}') as subnet_ids
  from page left join inside using (network_id, vlan_number) order by network_id, vlan_number`)} as vlans`;
}

/**
 * GET /api/v1/vlans: lists the VLANs of the interfaces, by network and number, live or at an instant
 * (API contract, section 9). Takes one database call, or two with labels.
 */
export const listVlans = factory.createHandlers(
  authenticate("Viewer"),
  validate({ query }),
  handles({ ...sentInForms, errors: [...sentInForms.errors, "history_expired"] }),
  async (c) => {
    const sent = c.req.valid("query");
    const { at, limit, offset, fields, include } = sent;
    const form = chosenForm(c);
    if (include && form.type !== "json") {
      throw labelsNeedJson();
    }
    if (at !== undefined) {
      c.var.tenant.requireHistory(at, false);
    }
    const [{ rows }] = await c.var.tenant.run((database) => [database.execute<Page>(pageOf(sent))]);
    const { total_count, vlans } = rows[0] ?? { total_count: 0, vlans: [] };
    const data = vlans.map(
      ({ id, created_at, updated_at, ...vlan }): Vlan => ({
        id,
        created_at: new Date(created_at).toISOString(),
        updated_at: new Date(updated_at).toISOString(),
        ...vlan,
        name: `VLAN ${vlan.vlan_number}`,
        tags: [],
      }),
    );
    const labels = include && (await labelsOf(c.var.tenant, chosenFields(data, fields), at));
    return respondComputedPage(
      c,
      { form, schema: vlanSchema, fields },
      { data, total_count, limit, offset, at, labels },
    );
  },
);

/** @throws {ApiError} 400 if the page is larger than those of stored records with labels */
async function labelsOf(tenant: TenantSession, page: unknown[], at: string | undefined) {
  if (JSON.stringify(page).length > pageBytes) {
    throw tooLargeForLabels();
  }
  return await readLabels(tenant, page, { instant: at ?? null });
}

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { passedInstant } from "../helpers/binding-versions.ts";
import { sql } from "../helpers/database.ts";
import {
  boundariesOf,
  liveState,
  orphansOf,
  type StateRow,
  stateAt,
} from "../helpers/inventory-state.ts";
import { mintOrganization, type Organization } from "../helpers/organization.ts";

const number = fc.nat({ max: 2 });
const step = fc.record({
  kind: fc.constantFrom(
    "create host",
    "rename host",
    "hide host",
    "delete host",
    "create port",
    "change port",
    "see port",
    "delete port",
    "create address",
    "change address",
    "delete address",
    "create service",
    "rename service",
    "delete service",
    "bind",
    "rebind",
    "unbind",
    "create subnet",
    "rename subnet",
    "resize subnet",
    "delete subnet",
  ),
  pick: number,
  value: number,
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/**
 * Returns a step's statement. When the statement runs, it picks one of the live records; if there
 * are none, it does nothing.
 */
function statement({ id, networks: [network] }: Organization, { kind, pick, value }: Step) {
  const nth = (table: string) => `(
    select id from ${table} where organization_id = '${id}' and valid_to is null
    order by created_at, id limit 1 offset ${pick})`;
  const host = (condition: string) => `
    from hosts where id = ${nth("hosts")} and organization_id = '${id}' ${condition}`;
  const change = (table: string, assignment: string) => `
    update ${table} set ${assignment} where organization_id = '${id}' and id = ${nth(table)}`;
  const end = (table: string) => `
    delete from ${table} where organization_id = '${id}' and id = ${nth(table)}`;
  const statements: Record<Step["kind"], string> = {
    "create host": `insert into hosts (organization_id, network_id, name)
      values ('${id}', '${network.id}', 'host ${value}')`,
    "rename host": change("hosts", `name = 'renamed ${value}'`),
    "hide host": change("hosts", "hidden = not hidden"),
    "delete host": end("hosts"),
    "create port": `insert into ports (organization_id, host_id, number, protocol)
      select organization_id, id, ${value} + 1, 'Tcp' ${host(`and not exists (
        select from ports where live_host_id = hosts.id and number = ${value} + 1 and protocol = 'Tcp')`)}`,
    "change port": change("ports", `number = 1000 + ${value} + number % 10000`),
    "see port": change("ports", "last_seen_at = clock_timestamp()"),
    "delete port": end("ports"),
    "create address": `insert into ip_addresses (organization_id, host_id, address, subnet_id)
      select organization_id, id, inet '10.0.0.0' + ${value},
        app.subnet_of(organization_id, network_id, inet '10.0.0.0' + ${value})
      ${host(`and not exists (
        select from ip_addresses where live_host_id = hosts.id and address = inet '10.0.0.0' + ${value})`)}`,
    "change address": change("ip_addresses", `mac_address = '02:00:00:00:00:0${value}'`),
    "delete address": end("ip_addresses"),
    "create service": `insert into services (organization_id, host_id, name)
      select organization_id, id, 'service ${value}' ${host("")}`,
    "rename service": change("services", `name = 'renamed ${value}'`),
    "delete service": end("services"),
    bind: `insert into bindings (organization_id, type, service_id, port_id)
      select port.organization_id, 'Port', service.id, port.id
      from ports as port join services as service
        on service.organization_id = port.organization_id and service.live_host_id = port.host_id
      where port.organization_id = '${id}' and port.id = ${nth("ports")} limit 1`,
    rebind: change(
      "bindings",
      `ip_address_id = case when ip_address_id is null then (
        select address.id from ip_addresses as address
        where address.organization_id = bindings.organization_id
          and address.live_host_id = bindings.host_id limit 1) end`,
    ),
    unbind: end("bindings"),
    "create subnet": `insert into subnets (organization_id, network_id, cidr, name)
      values ('${id}', '${network.id}', '10.0.0.0/${24 + value}', 'subnet ${value}')
      on conflict do nothing`,
    "rename subnet": change("subnets", `name = 'renamed ${value}'`),
    "resize subnet": change("subnets", `cidr = '10.0.0.${value}/32'`),
    "delete subnet": end("subnets"),
  };
  return sql.query(statements[kind]);
}

const oneMillisecond = (at: string, sign: 1 | -1) => new Date(Date.parse(at) + sign).toISOString();

test("the state at every timestamp contains exactly the records that were live then, without orphans", async () => {
  const plans = fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), {
    minLength: 4,
    maxLength: 14,
  });
  const property = fc.asyncProperty(plans, async (plan) => {
    const organization = await mintOrganization();
    await passedInstant();
    // The model: the live records, and the timestamp since which they have been live.
    const recorded: { from: string; state: StateRow[] }[] = [];
    const record = async (from: string) => {
      recorded.push({ from, state: await liveState(organization.id) });
    };
    const [start] = await sql`
      select max(valid_from) as at from services where organization_id = ${organization.id}`;
    await record(String(start?.["at"]));
    for (const steps of plan) {
      const answers = await sql
        .transaction([
          ...steps.map((action) => statement(organization, action)),
          sql`select nullif(current_setting('app.changed_at', true), '')::timestamptz as at`,
        ])
        // Some conflicts are expected, such as two equal addresses that both lose their subnet.
        .catch(() => []);
      const changedAt = answers.at(-1)?.[0]?.["at"];
      await passedInstant();
      if (changedAt) {
        await record(String(changedAt));
      } else {
        expect(await liveState(organization.id)).toEqual(recorded.at(-1)?.state);
      }
    }
    const [first] = recorded;
    const boundaries = (await boundariesOf(organization.id)).filter(
      (at) => at >= (first?.from ?? ""),
    );
    for (const boundary of boundaries) {
      for (const at of [oneMillisecond(boundary, -1), boundary, oneMillisecond(boundary, 1)]) {
        if (at < (first?.from ?? "")) {
          continue;
        }
        const then = recorded.findLast(({ from }) => from <= at);
        const state = await stateAt(organization.id, at);
        expect(state, at).toEqual(then?.state);
        expect(orphansOf(state), at).toEqual([]);
      }
    }
  });
  await fc.assert(property, { numRuns: 15, endOnFailure: true });
}, 120_000);

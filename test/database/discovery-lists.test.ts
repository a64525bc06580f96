import { expect, test } from "vitest";
import { hostDetails, interfaceDetails } from "../../src/database/tables/index.ts";
import { unclaimedDefinitions } from "../../src/discovery/report.ts";
import { sql } from "../helpers/database.ts";
import { mintEmptyNetwork } from "../helpers/inventory.ts";
import { mintOrganization } from "../helpers/organization.ts";

test("the database stores every listed host detail, both on creation and on update", async () => {
  const { id: organization_id } = await mintOrganization();
  const network_id = await mintEmptyNetwork(organization_id);
  const host_id = crypto.randomUUID();
  const context = { organization_id, network_id, seen_at: new Date().toISOString() };
  for (const [is_new, value] of [
    [true, "at first"],
    [false, "later"],
  ] as const) {
    const details = Object.fromEntries(
      hostDetails.map((name) => [name, name === "virtualization" ? { type: value } : value]),
    );
    const planned = { id: host_id, is_new, changes: { name: value, ...details } };
    await sql`
      select app.write_hosts(
        jsonb_populate_record(null::app.ingest_context, ${JSON.stringify(context)}::jsonb),
        'Discovery',
        array[jsonb_populate_record(null::app.ingested_record, ${JSON.stringify(planned)}::jsonb)])`;
    const [row] = await sql`select app.details_of(host) as stored from hosts as host
      where host.id = ${host_id} and host.valid_to is null`;
    expect(row?.["stored"]).toEqual(details);
  }
});

test("the database reads exactly the listed interface details", async () => {
  const [{ details } = { details: [] }] = await sql`
    select array(select jsonb_object_keys(
      app.details_of_interface(
        null, null, null, null, null, null, null, null, null, null, null))) as details`;
  expect(details.toSorted()).toEqual([...interfaceDetails, "ip_address_ids"].toSorted());
});

test("the database stores every listed interface detail, both on creation and on update", async () => {
  const { id: organization_id, networks } = await mintOrganization();
  const [{ id: network_id, host_id, ip_address_ids }] = networks;
  const id = crypto.randomUUID();
  const context = { organization_id, network_id, seen_at: new Date().toISOString() };
  for (const [is_new, status, number] of [
    [true, "Up", 1],
    [false, "Down", 2],
  ] as const) {
    const details = {
      name: status,
      description: status,
      type: number,
      speed_bps: number,
      mac_address: `02:00:5e:00:00:0${number}`,
      admin_status: status,
      oper_status: status,
      alias: status,
      native_vlan: number,
      tagged_vlans: [number],
      ip_address_ids: ip_address_ids.slice(0, 1),
    } satisfies Record<(typeof interfaceDetails)[number] | "ip_address_ids", unknown>;
    const planned = { id, host_id, is_new, changes: { if_index: 7, ...details } };
    await sql`
      select app.write_interfaces(
        jsonb_populate_record(null::app.ingest_context, ${JSON.stringify(context)}::jsonb),
        array[jsonb_populate_record(null::app.ingested_record, ${JSON.stringify(planned)}::jsonb)],
        '{}')`;
    const [row] = await sql`
      select app.details_of_interface(name, description, type, speed_bps, mac_address, admin_status,
        oper_status, alias, native_vlan, tagged_vlans, ip_address_ids) as stored
      from interfaces where id = ${id} and valid_to is null`;
    expect(row?.["stored"]).toEqual(details);
  }
});

test("the database and the report code agree on which definitions are unclaimed", async () => {
  const definitions = [...unclaimedDefinitions, "SSH", "Unclaimed", "open ports"];
  const unclaimed = await sql`
    select definition from unnest(${definitions}::text[]) as definition
    where app.is_unclaimed(definition)`;
  expect(unclaimed.map(({ definition }) => definition)).toEqual([...unclaimedDefinitions]);
});

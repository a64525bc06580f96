import { expect, test } from "vitest";
import { claimDueDaemons, recordPolls } from "../../src/daemons/poller/claim/state.ts";
import { runAsPoller } from "../../src/database/poller.ts";
import { settingsOf } from "../../src/env.ts";
import { openApi } from "../helpers/api.ts";
import { enter, sql } from "../helpers/database.ts";
import { mintBinding, mintOrganization } from "../helpers/organization.ts";
import { openFreshDatabase } from "../helpers/poller.ts";

// A separate database, since a claim takes the daemons of all organizations, including those from
// other tests.
const fresh = await openFreshDatabase();
const settings = settingsOf(openApi(fresh).env);

/**
 * Creates an organization with a record in every table. The ids may be those of another
 * organization.
 */
async function mintTwin(ids: Record<string, string>) {
  const organization = await mintOrganization();
  const { id } = organization;
  const [network, host, address, port, service, tag, credential, daemon, binding] = [
    "network",
    "host",
    "address",
    "port",
    "service",
    "tag",
    "credential",
    "daemon",
    "binding",
  ].map((name) => ids[name]);
  await sql.transaction([
    sql`insert into networks (organization_id, id, name) values (${id}, ${network}, 'Twin')`,
    sql`insert into hosts (organization_id, network_id, id, name) values (${id}, ${network}, ${host}, 'Twin')`,
    sql`insert into ip_addresses (organization_id, network_id, host_id, id, address)
      values (${id}, ${network}, ${host}, ${address}, '192.0.2.1')`,
    sql`insert into ports (organization_id, network_id, host_id, id, number, protocol)
      values (${id}, ${network}, ${host}, ${port}, 443, 'Tcp')`,
    sql`insert into services (organization_id, network_id, host_id, id, name)
      values (${id}, ${network}, ${host}, ${service}, 'Twin')`,
    sql`insert into tags (organization_id, id, name) values (${id}, ${tag}, 'Twin')`,
    sql`insert into credentials (organization_id, id, name, settings)
      values (${id}, ${credential}, 'Twin', '{"type": "DockerSocket"}')`,
    sql`insert into credential_hosts values (${id}, ${credential}, ${host}, true)`,
    sql`insert into credential_host_ip_addresses values (${id}, ${credential}, ${host}, ${address})`,
    sql`insert into credential_tags values (${id}, ${credential}, ${tag})`,
    sql`insert into daemons (organization_id, network_id, id, name, url, next_poll_at)
      values (${id}, ${network}, ${daemon}, 'Twin', 'https://daemon.example.com', now() - interval '1 minute')`,
    sql`insert into bindings (organization_id, id, type, service_id, network_id, port_id)
      values (${id}, ${binding}, 'Port', ${service}, ${network}, ${port})`,
  ]);
  return organization;
}

const names = [
  "network",
  "host",
  "address",
  "port",
  "service",
  "tag",
  "credential",
  "daemon",
  "binding",
];
const newIds = () => Object.fromEntries(names.map((name) => [name, crypto.randomUUID()]));

test("in every table, an id that is used in one organization can also be used in another", async () => {
  const ids = newIds();
  await mintTwin(ids);
  await mintTwin(ids);
  await expect(sql`
    insert into tags (organization_id, id, name)
    select organization_id, id, 'Again' from tags where id = ${ids["tag"]} limit 1`).rejects.toMatchObject(
    {
      constraint: "tags_pk",
    },
  );
});

test("a write by id changes only one organization", async () => {
  const ids = newIds();
  const [own, other] = [await mintTwin(ids), await mintTwin(ids)];
  await sql.transaction([
    enter(own.keys.admin),
    sql`update credentials set name = 'New' where id = ${ids["credential"]}`,
    sql`delete from credential_host_ip_addresses where credential_id = ${ids["credential"]}`,
    sql`delete from tags where id = ${ids["tag"]}`,
  ]);
  const ofCredential = (organization: string) => sql`
    select name, revision::int,
      (select count(*)::int from credential_hosts where organization_id = ${organization}) as hosts,
      (select count(*)::int from credential_tags where organization_id = ${organization}) as tags
    from credentials where organization_id = ${organization}`;
  expect(await ofCredential(own.id)).toEqual([
    { name: "New", revision: expect.any(Number), hosts: 0, tags: 0 },
  ]);
  expect(await ofCredential(other.id)).toEqual([{ name: "Twin", revision: 1, hosts: 1, tags: 1 }]);
});

test("versions of bindings with the same id are consecutive within each organization", async () => {
  const ids = newIds();
  const [own, other] = [await mintTwin(ids), await mintTwin(ids)];
  await sql`select pg_sleep(0.002)`;
  await sql`delete from bindings where organization_id = ${own.id} and id = ${ids["binding"]}`;
  const versions = (organization: string) => sql`
    select live_id, valid_to is null as is_live from bindings where organization_id = ${organization}`;
  expect(await versions(own.id)).toEqual([{ live_id: ids["binding"], is_live: false }]);
  expect(await versions(other.id)).toEqual([{ live_id: ids["binding"], is_live: true }]);
});

test("daemons with the same id are claimed and recorded separately", async () => {
  await sql`update daemons set next_poll_at = now() + interval '1 hour' where next_poll_at is not null`;
  const ids = newIds();
  const [own, other] = [await mintTwin(ids), await mintTwin(ids)];
  await sql`update daemons set next_poll_at = now() + interval '1 hour' where organization_id = ${other.id}`;
  const everybody = { after: "00000000-0000-0000-0000-000000000000", share: 100 };
  const [{ rows }] = await runAsPoller(settings, (database) => [
    claimDueDaemons(database, everybody, 1000),
  ]);
  expect(rows).toMatchObject([{ organization_id: own.id, id: ids["daemon"] }]);
  await sql`update daemons set lease_expires_at = now() + interval '1 minute', poll_generation = 1
    where organization_id = ${other.id}`;
  const [recorded] = await runAsPoller(settings, (database) => [
    recordPolls(database, [
      {
        organization_id: own.id,
        id: ids["daemon"] ?? "",
        poll_generation: 1,
        is_slow: false,
        is_introduced: false,
        outcome: {
          error: null,
          isReady: true,
          version: "0.15.0",
          has_docker_socket: false,
          interfaced_cidrs: [],
        },
      },
    ]),
  ]);
  expect(recorded.rows).toMatchObject([{ organization_id: own.id }]);
  expect(await sql`select version from daemons where organization_id = ${other.id}`).toEqual([
    { version: null },
  ]);
});

test("history outlives its network and keeps the network's id", async () => {
  const { id, networks, keys } = await mintOrganization();
  const binding = await mintBinding(id, networks[0]);
  await sql`select pg_sleep(0.002)`;
  await sql.transaction([
    enter(keys.admin),
    sql`delete from networks where organization_id = ${id} and id = ${networks[0].id}`,
  ]);
  expect(
    await sql`select network_id, lineage_id from bindings where organization_id = ${id}`,
  ).toEqual([{ network_id: networks[0].id, lineage_id: binding }]);
});

test("tag names are unique within an organization, ignoring case", async () => {
  const [{ id }, other] = [await mintOrganization(), await mintOrganization()];
  const insert = (organization: string, name: string) =>
    sql`insert into tags (organization_id, name) values (${organization}, ${name})`;
  await insert(id, "Prüfstand");
  await expect(insert(id, "PRÜFSTAND")).rejects.toMatchObject({
    code: "23505",
    constraint: "tags_name_unique",
  });
  await insert(id, "Prüfstand 2");
  await insert(other.id, "prüfstand");
});

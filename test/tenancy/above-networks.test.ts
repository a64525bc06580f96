import { beforeAll, expect, test } from "vitest";
import { failed, invalidAt, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { enter, sql } from "../helpers/database.ts";
import { mintKey, mintOrganization, type Organization } from "../helpers/organization.ts";
import { rowsOf } from "../helpers/rows.ts";

let own: Organization;
let limited: string;
let none: string;

beforeAll(async () => {
  own = await mintOrganization({ name: "Before" });
  limited = await mintKey(
    own.id,
    { role: "Owner" },
    own.networks.map(({ id }) => id),
  );
  none = await mintKey(own.id, { role: "Owner" }, []);
});

const rename = (key: string, id: string, json: unknown) =>
  openApi().send("PUT", `/api/v1/organizations/${id}`, { key, json });

test("an owner's key limited to specific networks cannot rename the organization, even if the key covers all of its networks", async () => {
  const other = await mintOrganization();
  const before = await rowsOf(own.id);
  for (const key of [limited, none]) {
    for (const id of [own.id, other.id, crypto.randomUUID()]) {
      expect(seen(await rename(key, id, "After"))).toEqual(failed("auth_scope_denied"));
    }
  }
  expect(await rowsOf(own.id)).toEqual(before);
});

test("checks the key's role, then its scope, then the request", async () => {
  expect(seen(await rename(limited, own.id, 5))).toEqual(failed("auth_scope_denied"));
  expect(seen(await rename(own.keys.owner, own.id, 5))).toEqual(invalidAt("body"));
  const admin = await mintKey(own.id, { role: "Admin" }, []);
  expect(seen(await rename(admin, own.id, "After"))).toEqual(
    failed("auth_permission_denied", { required_role: "Owner", role: "Admin" }),
  );
});

test("the database prevents such a key from changing the organization, even if the code tries to do so", async () => {
  const before = await rowsOf(own.id);
  for (const key of [limited, none]) {
    await sql.transaction([
      enter(key),
      sql`update organizations set name = 'After' where id = ${own.id}`,
    ]);
  }
  expect(await rowsOf(own.id)).toEqual(before);
});

test("the function that finds hosts by their services returns none outside the key's networks", async () => {
  const [first, second] = own.networks;
  const hosts = [];
  for (const network of [first, second]) {
    const [host] = await sql`insert into hosts (organization_id, network_id, name)
      values (${own.id}, ${network.id}, 'Web') returning id`;
    await sql`
      with port as (
        insert into ports (organization_id, network_id, host_id, number, protocol)
        values (${own.id}, ${network.id}, ${host?.["id"]}, 80, 'Tcp') returning id),
      service as (
        insert into services (organization_id, network_id, host_id, name, service_definition)
        values (${own.id}, ${network.id}, ${host?.["id"]}, 'Intranet', 'Nginx') returning id)
      insert into bindings (organization_id, network_id, host_id, type, service_id, port_id)
      select ${own.id}, ${network.id}, ${host?.["id"]}, 'Port', service.id, port.id from service, port`;
    hosts.push(host?.["id"]);
  }
  const hostsFor = async (key: string, text: string) => {
    const [, rows = []] = await sql.transaction([
      enter(key),
      sql`select id from app.hosts_with_service(${text}, null) as found (id)`,
    ]);
    return rows.map(({ id }) => id).sort();
  };
  const one = await mintKey(own.id, {}, [first.id]);
  for (const text of ["intranet", "NGINX"]) {
    expect(await hostsFor(own.keys.viewer, text)).toEqual(hosts.toSorted());
    expect(await hostsFor(one, text)).toEqual([hosts[0]]);
    expect(await hostsFor(none, text)).toEqual([]);
  }
});

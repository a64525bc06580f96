import { expect, test } from "vitest";
import { failed, seen, succeeded } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { mintManyBindings } from "../helpers/binding-versions.ts";
import { sql } from "../helpers/database.ts";
import { mintOrganization, mintSubnet } from "../helpers/organization.ts";
import { changingNothing } from "../helpers/rows.ts";

/**
 * Creates a network whose host has more records than one request may delete, and another network
 * that has only a few.
 */
async function openLarge() {
  const organization = await mintOrganization();
  const [large, small] = organization.networks;
  // Each of the 10,000 bindings also has a port of its own.
  await mintManyBindings(organization.id, large, 10_000);
  const api = openApi();
  const key = organization.keys.admin;
  return { organization, large, small, api, key };
}

test("refuses to delete a network above the maximum, and explains what to do instead", async () => {
  const { organization, large, small, api, key } = await openLarge();
  const remove = (id: string) => api.send("DELETE", `/api/v1/networks/${id}?cascade=true`, { key });
  const refused = await changingNothing(organization.id, () => remove(large.id));
  expect(seen(refused)).toEqual(
    failed("deletion_too_large", { entity: "Network", maximum: 20_000 }),
  );
  expect(refused.body).toMatchObject({
    error:
      "The network holds more than 20000 records, the maximum of one deletion: first delete its hosts in batches with POST /api/v1/hosts/bulk-delete.",
  });
  expect(seen(await remove(small.id))).toEqual(succeeded({}));
});

test("refuses to delete two or more hosts that together exceed the maximum", async () => {
  const { organization, large, small, api, key } = await openLarge();
  const remove = (...ids: string[]) =>
    api.send("POST", "/api/v1/hosts/bulk-delete", { key, json: ids });
  const refused = await changingNothing(organization.id, () =>
    remove(large.host_id, small.host_id),
  );
  expect(seen(refused)).toEqual(failed("deletion_too_large", { entity: "Host", maximum: 20_000 }));
  expect(seen(await remove(small.host_id))).toEqual(
    succeeded({ requested_count: 1, deleted_count: 1 }),
  );
});

test("refuses to delete subnets with more addresses than the maximum", async () => {
  const { id, networks, keys } = await mintOrganization();
  const [network] = networks;
  const subnets = [await mintSubnet(id, network.id), await mintSubnet(id, network.id)];
  const fill = (subnet: string | undefined, from: number, to: number) =>
    sql.transaction([
      sql`set local session_replication_role = replica`,
      sql`insert into ip_addresses
      (organization_id, network_id, host_id, subnet_id, address, last_seen_at, valid_from)
      select ${id}, ${network.id}, ${network.host_id}, ${subnet}, '10.0.0.0'::inet + number, now(), now()
      from generate_series(${from}::int, ${to}::int) as number`,
    ]);
  await fill(subnets[0], 1, 9_999);
  await fill(subnets[1], 1, 2);
  const { send } = openApi();
  const key = keys.admin;
  const removeBoth = () => send("POST", "/api/v1/subnets/bulk-delete", { key, json: subnets });
  const refused = await changingNothing(id, removeBoth);
  expect(seen(refused)).toEqual(
    failed("deletion_too_large", { entity: "Subnet", maximum: 10_000 }),
  );
  expect(await send("DELETE", `/api/v1/subnets/${subnets[1]}`, { key })).toMatchObject({
    status: 200,
  });
  await fill(subnets[0], 10_000, 10_001);
  expect(await send("DELETE", `/api/v1/subnets/${subnets[0]}`, { key })).toMatchObject({
    status: 409,
  });
}, 60_000);

test("a large deletion may take longer than other database calls", async () => {
  const { id, networks, keys } = await mintOrganization();
  const [network] = networks;
  const subnet = await mintSubnet(id, network.id);
  const { disturb, send } = openApi({ DATABASE_DEADLINE_MS: "800" });
  const key = keys.admin;
  await disturb({ delay_ms: 1200 });
  expect(await send("GET", "/api/v1/hosts", { key })).toMatchObject({ status: 503 });
  for (const path of [
    `subnets/${subnet}`,
    `hosts/${network.host_id}`,
    `networks/${network.id}?cascade=true`,
  ]) {
    expect(await send("DELETE", `/api/v1/${path}`, { key })).toMatchObject({ status: 200 });
  }
});

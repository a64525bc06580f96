import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { credentialIn, putCredential, updateOf } from "../helpers/credentials.ts";
import { sql } from "../helpers/database.ts";
import { mintCredential, mintOrganization } from "../helpers/organization.ts";
import { refusalOf } from "../helpers/refusal.ts";
import { rowsOf } from "../helpers/rows.ts";

/** Three hosts with 400 addresses each, sorted. */
async function openScene() {
  const { id: organization_id, keys, networks } = await mintOrganization();
  const network_id = networks[0].id;
  const hosts = await sql`
    insert into hosts (organization_id, network_id, name)
    select ${organization_id}, ${network_id}, 'Test' from generate_series(1, 3) returning id`;
  const assignments: { host_id: string; ip_address_ids: string[] }[] = [];
  for (const host_id of hosts.map(({ id }) => String(id)).sort()) {
    const rows = await sql`
      insert into ip_addresses (organization_id, network_id, host_id, address)
      select ${organization_id}, ${network_id}, ${host_id}, inet '10.0.0.0' + number
      from generate_series(1, 400) as number returning id`;
    assignments.push({ host_id, ip_address_ids: rows.map(({ id }) => String(id)).sort() });
  }
  const id = await mintCredential(organization_id);
  /** So many addresses, over all three hosts. */
  const first = (count: number) =>
    assignments.map(({ host_id, ip_address_ids }, position) => ({
      host_id,
      ip_address_ids: ip_address_ids.slice(0, position < 2 ? 400 : count - 800),
    }));
  return { organization_id, key: keys.admin, id, first };
}

test("1,000 addresses over all host assignments are taken, 1,001 refused", async () => {
  const api = openApi();
  const { organization_id, key, id, first } = await openScene();
  const put = (count: number) =>
    putCredential(api, key, id, updateOf(organization_id, { host_assignments: first(count) }));
  expect(credentialIn(await put(1000)).host_assignments).toEqual(first(1000));
  const before = await rowsOf(organization_id);
  expect(await put(1001)).toMatchObject({
    status: 400,
    body: {
      code: "validation_failed",
      params: {
        issues: [
          {
            path: "body.host_assignments",
            message:
              "must have at most 1000 addresses in all: assign whole hosts, or fewer addresses",
            code: "too_big",
          },
        ],
      },
    },
  });
  expect(await rowsOf(organization_id)).toEqual(before);
});

test("the database refuses the 1,001st address, whoever writes it", async () => {
  const { organization_id, key, id, first } = await openScene();
  const sent = updateOf(organization_id, { host_assignments: first(999) });
  credentialIn(await putCredential(openApi(), key, id, sent));
  const [host] = first(1001).slice(-1);
  const add = (position: number) => sql`
    insert into credential_host_ip_addresses (organization_id, credential_id, host_id, ip_address_id)
    values (${organization_id}, ${id}, ${host?.host_id}, ${host?.ip_address_ids[position]})`;
  await add(199);
  expect(await refusalOf(add(200))).toEqual({
    code: "23514",
    constraint: "credential_host_ip_addresses_maximum",
  });
});

import { expect, test } from "vitest";
import { failed, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { credentialIn, inline, putCredential, updateOf } from "../helpers/credentials.ts";
import { mintCredential, mintOrganization } from "../helpers/organization.ts";
import { rowsOf } from "../helpers/rows.ts";
import { beforeWrite } from "../helpers/trigger.ts";

/**
 * Creates a credential with rows in every table, and prepares an update that replaces all of them.
 */
async function openChange() {
  const api = openApi();
  const { id: organization_id, keys, networks, tags } = await mintOrganization();
  const [first, second] = networks;
  const id = await mintCredential(organization_id);
  const stored = updateOf(organization_id, {
    name: "Before",
    tags: [tags[0]],
    assigned_network_ids: [first.id],
    host_assignments: [{ host_id: first.host_id, ip_address_ids: [first.ip_address_ids[0]] }],
    credential_type: { type: "SnmpV1", community: inline("public-1") },
  });
  credentialIn(await putCredential(api, keys.admin, id, stored));
  const changes = {
    name: "After",
    tags: [tags[1]],
    assigned_network_ids: [second.id],
    host_assignments: [{ host_id: second.host_id, ip_address_ids: [second.ip_address_ids[0]] }],
    credential_type: { type: "SnmpV2c", community: inline("public-2") },
  };
  const put = () => putCredential(api, keys.admin, id, updateOf(organization_id, changes));
  return { id, organization_id, put, second, tag: tags[1] };
}

const tables = [
  "credentials",
  "credential_secrets",
  "credential_tags",
  "credential_networks",
  "credential_hosts",
  "credential_host_ip_addresses",
];

test.each(tables)("nothing changes when writing to %s fails", async (table) => {
  const { id, organization_id, put } = await openChange();
  await beforeWrite(table, id, "raise exception 'a secret of the database';");
  const before = await rowsOf(organization_id);
  const answer = await put();
  expect(seen(answer)).toEqual(failed("internal_error", { request_id: expect.any(String) }));
  expect(answer.text).not.toMatch(/secret of the database|credential_|P0001/);
  expect(await rowsOf(organization_id)).toEqual(before);
});

test.each(["40001", "40P01"])(
  "nothing changes when the update ends in a conflict (%s)",
  async (code) => {
    const { id, organization_id, put } = await openChange();
    const raise = `raise exception using errcode = '${code}', message = 'conflict';`;
    await beforeWrite("credential_host_ip_addresses", id, raise);
    const before = await rowsOf(organization_id);
    expect(seen(await put())).toEqual(failed("request_conflict"));
    expect(await rowsOf(organization_id)).toEqual(before);
  },
);

const tag = { entity: "Tag", field: "body.tags" };
const network = { entity: "Network", field: "body.assigned_network_ids" };
const host = { entity: "Host", field: "body.host_assignments" };
const address = { entity: "IPAddress", field: "body.host_assignments" };

// Deleting a network deletes its hosts, and deleting a host deletes its addresses, so the error can
// name any of them.
test.each([
  {
    what: "tag",
    from: "tags",
    references: [tag],
    idOf: ({ tag }: Awaited<ReturnType<typeof openChange>>) => tag,
  },
  {
    what: "network",
    from: "networks",
    references: [network, host, address],
    idOf: ({ second }: Awaited<ReturnType<typeof openChange>>) => second.id,
  },
  {
    what: "host",
    from: "hosts",
    references: [host, address],
    idOf: ({ second }: Awaited<ReturnType<typeof openChange>>) => second.host_id,
  },
  {
    what: "address",
    from: "ip_addresses",
    references: [address],
    idOf: ({ second }: Awaited<ReturnType<typeof openChange>>) => second.ip_address_ids[0],
  },
])("a $what that is deleted after its check is an invalid reference", async (row) => {
  const change = await openChange();
  const action = `delete from public.${row.from} where id = '${row.idOf(change)}';`;
  await beforeWrite("credentials", change.id, action);
  const before = await rowsOf(change.organization_id);
  const answer = await change.put();
  expect(seen(answer)).toEqual(
    failed("entity_reference_invalid", expect.toBeOneOf(row.references)),
  );
  expect(await rowsOf(change.organization_id)).toEqual(before);
});

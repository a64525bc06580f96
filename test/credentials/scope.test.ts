import { eq, inArray } from "drizzle-orm";
import { expect, test } from "vitest";
import * as schema from "../../src/database/tables/index.ts";
import { openApi } from "../helpers/api.ts";
import { credentialIn, putCredential, readCredential, updateOf } from "../helpers/credentials.ts";
import { database } from "../helpers/database.ts";
import { mintCredential, mintOrganization } from "../helpers/organization.ts";

/**
 * Creates a credential that is limited to both addresses of one host and the first address of
 * another.
 */
async function openLimited() {
  const api = openApi();
  const { id: organization_id, keys, networks, tags } = await mintOrganization();
  const [first, second] = networks;
  const id = await mintCredential(organization_id);
  const sent = updateOf(organization_id, {
    tags,
    assigned_network_ids: [first.id, second.id],
    host_assignments: [
      { host_id: first.host_id, ip_address_ids: first.ip_address_ids },
      { host_id: second.host_id, ip_address_ids: [second.ip_address_ids[0]] },
    ],
  });
  credentialIn(await putCredential(api, keys.admin, id, sent));
  return { read: () => readCredential(api, keys.viewer, id), first, second, tags };
}

const deleteAddresses = (...ids: string[]) =>
  database.delete(schema.ipAddresses).where(inArray(schema.ipAddresses.id, ids));

test("a limited assignment is deleted with its last address, and never widens to the host", async () => {
  const { read, first, second } = await openLimited();
  const [kept, gone] = first.ip_address_ids;
  await deleteAddresses(gone, second.ip_address_ids[0]);
  expect((await read()).host_assignments).toEqual([
    { host_id: first.host_id, ip_address_ids: [kept] },
  ]);
  await deleteAddresses(kept);
  expect((await read()).host_assignments).toEqual([]);
});

test("a limited assignment is deleted when all its addresses are deleted at once", async () => {
  const { read, first, second } = await openLimited();
  await deleteAddresses(...first.ip_address_ids);
  expect((await read()).host_assignments).toEqual([
    { host_id: second.host_id, ip_address_ids: [second.ip_address_ids[0]] },
  ]);
});

test("deleting another address does not change a limited assignment", async () => {
  const { read, second } = await openLimited();
  const before = await read();
  await deleteAddresses(second.ip_address_ids[1]);
  expect(await read()).toEqual(before);
});

test("an assignment to the whole host is kept when the host's addresses are deleted", async () => {
  const api = openApi();
  const { id: organization_id, keys, networks } = await mintOrganization();
  const [{ host_id, ip_address_ids }] = networks;
  const id = await mintCredential(organization_id);
  const sent = updateOf(organization_id, { host_assignments: [{ host_id }] });
  const written = credentialIn(await putCredential(api, keys.admin, id, sent));
  await deleteAddresses(...ip_address_ids);
  expect(await readCredential(api, keys.viewer, id)).toEqual(written);
});

test("a deleted host, network or tag is removed from the credential's sets", async () => {
  const { read, first, second, tags } = await openLimited();
  await database.delete(schema.hosts).where(eq(schema.hosts.id, first.host_id));
  await database.delete(schema.tags).where(eq(schema.tags.id, tags[0]));
  expect(await read()).toMatchObject({
    tags: [tags[1]],
    assigned_network_ids: [first.id, second.id].sort(),
    host_assignments: [{ host_id: second.host_id, ip_address_ids: [second.ip_address_ids[0]] }],
  });
  await database.delete(schema.networks).where(eq(schema.networks.id, second.id));
  expect(await read()).toMatchObject({
    tags: [tags[1]],
    assigned_network_ids: [first.id],
    host_assignments: [],
  });
});

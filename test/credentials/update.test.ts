import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import {
  credentialIn,
  inline,
  putCredential,
  readCredential,
  updateOf,
} from "../helpers/credentials.ts";
import { sql } from "../helpers/database.ts";
import { mintCredential, mintOrganization } from "../helpers/organization.ts";

test("updated_at becomes the instant of the update, created_at stays", async () => {
  const api = openApi();
  const { id: organization_id, keys } = await mintOrganization();
  const created_at = "2020-02-29T00:00:00.000Z";
  const id = await mintCredential(organization_id, { created_at, updated_at: created_at });
  const now = async () => {
    const [row] = await sql`select floor(extract(epoch from clock_timestamp()) * 1000) as now`;
    return Number(row?.["now"]);
  };
  const before = await now();
  const { updated_at, ...rest } = credentialIn(
    await putCredential(api, keys.admin, id, updateOf(organization_id)),
  );
  expect(rest).toMatchObject({ created_at });
  expect(Date.parse(updated_at)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(updated_at)).toBeLessThanOrEqual((await now()) + 1);
});

test("a PUT replaces the whole credential", async () => {
  const api = openApi();
  const { id: organization_id, keys, networks, tags } = await mintOrganization();
  const [first, second] = networks;
  const id = await mintCredential(organization_id);
  const full = {
    name: "Before",
    tags: [tags[0]],
    assigned_network_ids: [first.id],
    host_assignments: [{ host_id: first.host_id, ip_address_ids: [first.ip_address_ids[0]] }],
    credential_type: { type: "SnmpV1", community: inline("public-1") },
  };
  credentialIn(await putCredential(api, keys.admin, id, updateOf(organization_id, full)));
  const changed = {
    name: "After",
    tags: [tags[1]],
    assigned_network_ids: [second.id],
    host_assignments: [
      { host_id: first.host_id, ip_address_ids: [first.ip_address_ids[1]] },
      { host_id: second.host_id, ip_address_ids: null },
    ].sort((a, b) => (a.host_id < b.host_id ? -1 : 1)),
    credential_type: { type: "DockerSocket" },
  };
  const answer = await putCredential(api, keys.admin, id, updateOf(organization_id, changed));
  expect(answer).toMatchObject({ status: 200, body: { data: changed } });
  const emptied = { tags: [], assigned_network_ids: [], host_assignments: [] };
  const last = await putCredential(api, keys.admin, id, updateOf(organization_id));
  expect(last).toMatchObject({ status: 200, body: { data: emptied } });
});

test("an update leaves the organization's other credentials alone", async () => {
  const api = openApi();
  const { id: organization_id, keys, tags } = await mintOrganization();
  const [id, other] = [
    await mintCredential(organization_id),
    await mintCredential(organization_id),
  ];
  const sent = { tags, credential_type: { type: "SnmpV1", community: inline("public-1") } };
  credentialIn(await putCredential(api, keys.admin, other, updateOf(organization_id, sent)));
  const before = await readCredential(api, keys.admin, other);
  credentialIn(await putCredential(api, keys.admin, id, updateOf(organization_id)));
  expect(await readCredential(api, keys.admin, other)).toEqual(before);
});

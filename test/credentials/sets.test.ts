import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { credentialIn, putCredential, updateOf } from "../helpers/credentials.ts";
import { mintCredential, mintOrganization } from "../helpers/organization.ts";
import { rowsOf } from "../helpers/rows.ts";

test("sets come back sorted by id, in whatever order they are sent", async () => {
  const api = openApi();
  const { id: organization_id, keys, networks, tags } = await mintOrganization();
  const id = await mintCredential(organization_id);
  const sorted = {
    tags: [...tags].sort(),
    assigned_network_ids: networks.map((network) => network.id).sort(),
    host_assignments: networks
      .map(({ host_id, ip_address_ids }) => ({
        host_id,
        ip_address_ids: [...ip_address_ids].sort(),
      }))
      .sort((a, b) => (a.host_id < b.host_id ? -1 : 1)),
  };
  const reversed = {
    tags: sorted.tags.toReversed(),
    assigned_network_ids: sorted.assigned_network_ids.toReversed(),
    host_assignments: sorted.host_assignments
      .map(({ host_id, ip_address_ids }) => ({
        host_id,
        ip_address_ids: ip_address_ids.toReversed(),
      }))
      .reverse(),
  };
  for (const sent of [sorted, reversed]) {
    const answer = await putCredential(api, keys.admin, id, updateOf(organization_id, sent));
    expect(credentialIn(answer)).toMatchObject(sorted);
  }
});

test("ids in upper case are taken, and come back in lower case", async () => {
  const api = openApi();
  const { id: organization_id, keys, networks, tags } = await mintOrganization();
  const [{ id: network, host_id, ip_address_ids }] = networks;
  const id = await mintCredential(organization_id);
  const sent = {
    id,
    organization_id,
    tags: [tags[0]],
    assigned_network_ids: [network],
    host_assignments: [{ host_id, ip_address_ids: [ip_address_ids[0]] }],
  };
  const upper: unknown = JSON.parse(
    JSON.stringify(sent).replace(/[0-9a-f-]{36}/g, (uuid) => uuid.toUpperCase()),
  );
  const answer = await putCredential(
    api,
    keys.admin,
    id.toUpperCase(),
    Object.assign(updateOf(organization_id), upper),
  );
  expect(credentialIn(answer)).toMatchObject(sent);
});

test.each([
  { name: "omitted", sent: {}, returned: null },
  { name: "null", sent: { ip_address_ids: null }, returned: null },
])("ip_address_ids $name is the whole host", async ({ sent, returned }) => {
  const api = openApi();
  const { id: organization_id, keys, networks } = await mintOrganization();
  const [{ host_id, ip_address_ids }] = networks;
  const id = await mintCredential(organization_id);
  const limited = { host_assignments: [{ host_id, ip_address_ids: [ip_address_ids[0]] }] };
  credentialIn(await putCredential(api, keys.admin, id, updateOf(organization_id, limited)));
  const whole = { host_assignments: [{ host_id, ...sent }] };
  const answer = await putCredential(api, keys.admin, id, updateOf(organization_id, whole));
  expect(credentialIn(answer).host_assignments).toEqual([{ host_id, ip_address_ids: returned }]);
});

test("an empty list of addresses is refused, for it would target nothing", async () => {
  const api = openApi();
  const { id: organization_id, keys, networks } = await mintOrganization();
  const [{ host_id, ip_address_ids }] = networks;
  const id = await mintCredential(organization_id);
  const limited = { host_assignments: [{ host_id, ip_address_ids: [ip_address_ids[0]] }] };
  credentialIn(await putCredential(api, keys.admin, id, updateOf(organization_id, limited)));
  const before = await rowsOf(organization_id);
  const empty = { host_assignments: [{ host_id, ip_address_ids: [] }] };
  expect(await putCredential(api, keys.admin, id, updateOf(organization_id, empty))).toMatchObject({
    status: 400,
    body: {
      code: "validation_failed",
      params: { issues: [{ path: "body.host_assignments[0].ip_address_ids", code: "too_small" }] },
    },
  });
  expect(await rowsOf(organization_id)).toEqual(before);
});

test("a member that is sent twice is refused, also in another case", async () => {
  const api = openApi();
  const { id: organization_id, keys, networks, tags } = await mintOrganization();
  const [{ id: network, host_id, ip_address_ids }] = networks;
  const [address] = ip_address_ids;
  const id = await mintCredential(organization_id);
  const before = await rowsOf(organization_id);
  const answer = await putCredential(
    api,
    keys.admin,
    id,
    updateOf(organization_id, {
      tags: [tags[0], tags[1], tags[0].toUpperCase()],
      assigned_network_ids: [network, network],
      host_assignments: [
        { host_id, ip_address_ids: [address, address] },
        { host_id, ip_address_ids: null },
      ],
    }),
  );
  expect(answer).toMatchObject({ status: 400, body: { code: "validation_failed" } });
  expect(answer).toHaveProperty(
    "body.params.issues",
    [
      "body.tags[2]",
      "body.assigned_network_ids[1]",
      "body.host_assignments[0].ip_address_ids[1]",
      "body.host_assignments[1].host_id",
    ].map((path) => ({
      path,
      message: "is in the set already: send every member once",
      code: "custom",
    })),
  );
  expect(await rowsOf(organization_id)).toEqual(before);
});

test("a host that is assigned twice is refused, whatever its addresses", async () => {
  const api = openApi();
  const { id: organization_id, keys, networks } = await mintOrganization();
  const [{ host_id, ip_address_ids }] = networks;
  const id = await mintCredential(organization_id);
  const before = await rowsOf(organization_id);
  const host_assignments = [
    { host_id, ip_address_ids },
    { host_id: host_id.toUpperCase(), ip_address_ids: null },
  ];
  expect(
    await putCredential(api, keys.admin, id, updateOf(organization_id, { host_assignments })),
  ).toMatchObject({
    status: 400,
    body: {
      code: "validation_failed",
      params: { issues: [{ path: "body.host_assignments[1].host_id", code: "custom" }] },
    },
  });
  expect(await rowsOf(organization_id)).toEqual(before);
});

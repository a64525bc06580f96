import { expect, test } from "vitest";
import { roles } from "../../src/roles.ts";
import { seen, succeeded } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { createKey, keyIdOf, whoami } from "../helpers/api-keys.ts";
import { mintOrganization } from "../helpers/organization.ts";

test.each(roles)(
  "a key with the role %s reads itself and its organization in one database call",
  async (role) => {
    const api = openApi();
    const { id: organization_id, keys } = await mintOrganization({ name: "Acme" });
    const key = { Viewer: keys.viewer, Member: keys.member, Admin: keys.admin, Owner: keys.owner }[
      role
    ];
    const id = await keyIdOf(key);
    const read = await api.send("GET", `/api/v1/auth/keys/${id}`, { key });
    const before = await api.calls();
    expect(seen(await whoami(api, key))).toEqual(
      succeeded({
        api_key: Object(read.body).data,
        token: null,
        organization: { id: organization_id, name: "Acme" },
      }),
    );
    expect((await api.calls()) - before).toBe(1);
    expect(read).toMatchObject({ body: { data: { id, permissions: role, organization_id } } });
  },
);

test("a key limited to specific networks gets its networks in sorted order", async () => {
  const api = openApi();
  const { keys, networks } = await mintOrganization();
  const network_ids = networks.map(({ id }) => id).sort();
  const json = { name: "Limited", permissions: "Viewer", network_ids: network_ids.toReversed() };
  const { api_key, key } = await createKey(api, keys.admin, json);
  expect(await whoami(api, key)).toMatchObject({
    status: 200,
    body: { data: { api_key: { id: api_key.id, network_ids } } },
  });
  await api.send("DELETE", `/api/v1/networks/${network_ids[0]}?cascade=true`, { key: keys.admin });
  expect(await whoami(api, key)).toMatchObject({
    body: { data: { api_key: { network_ids: [network_ids[1]] } } },
  });
});

test("a key whose last network is deleted has access to no network, rather than to all networks", async () => {
  const api = openApi();
  const { keys, networks } = await mintOrganization();
  const json = { name: "Limited", permissions: "Viewer", network_ids: [networks[0].id] };
  const { key } = await createKey(api, keys.admin, json);
  await api.send("DELETE", `/api/v1/networks/${networks[0].id}?cascade=true`, { key: keys.admin });
  expect(await whoami(api, key)).toMatchObject({
    body: { data: { api_key: { network_ids: [] } } },
  });
  const listed = await api.send("GET", "/api/v1/networks", { key });
  expect(listed).toMatchObject({ body: { data: [] } });
});

import { expect, test } from "vitest";
import { failed, invalidAt, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { allShownIn, whoami } from "../helpers/api-keys.ts";
import { mintOrganization } from "../helpers/organization.ts";
import { changingNothing } from "../helpers/rows.ts";

const path = "/api/v1/auth/keys/bulk";
const valid = { name: "CI", permissions: "Viewer" };

test("creates 100 keys in one call, in request order, and each key works", async () => {
  const api = openApi();
  const { keys, networks } = await mintOrganization();
  const json = Array.from({ length: 100 }, (_, position) => ({
    name: `Key ${99 - position}`,
    permissions: position % 2 ? "Admin" : "Viewer",
    network_ids: position % 3 ? null : [networks[0].id],
  }));
  const answer = await api.send("POST", path, { key: keys.admin, json });
  expect(await api.calls()).toBe(1);
  expect(answer.status).toBe(201);
  const created = allShownIn(answer);
  expect(
    created.map(({ api_key: { name, permissions, network_ids } }) => ({
      name,
      permissions,
      network_ids,
    })),
  ).toEqual(json);
  expect(new Set(created.map(({ key }) => key)).size).toBe(100);
  for (const { api_key, key } of [created[0], created[57], created[99]].flatMap(
    (one) => one ?? [],
  )) {
    expect(api_key.key_hint).toBe(key.slice(-4));
    expect(await whoami(api, key)).toMatchObject({
      body: {
        data: { api_key: { id: api_key.id, name: api_key.name, network_ids: api_key.network_ids } },
      },
    });
  }
});

test("creates no keys if one is invalid, and reports the position of the invalid one", async () => {
  const api = openApi();
  const { id, keys, tags } = await mintOrganization();
  const send = (json: unknown) =>
    changingNothing(id, () => api.send("POST", path, { key: keys.admin, json }));
  expect(seen(await send([valid, { ...valid, permissions: "Owner" }]))).toEqual(
    failed("auth_permission_denied", { required_role: "Owner", role: "Admin" }),
  );
  expect(seen(await send([valid, { ...valid, network_ids: [tags[0]] }]))).toEqual(
    failed("entity_reference_invalid", {
      entity: "Network",
      field: "body[1].network_ids",
      id: tags[0],
    }),
  );
  const taken = crypto.randomUUID();
  expect(
    seen(
      await send([
        { ...valid, id: taken },
        { ...valid, id: taken.toUpperCase() },
      ]),
    ),
  ).toEqual(invalidAt("body[1].id"));
  expect(seen(await send([valid, { ...valid, name: "" }]))).toEqual(invalidAt("body[1].name"));
  expect(seen(await send([]))).toEqual(invalidAt("body"));
  expect(seen(await send(Array.from({ length: 101 }, () => valid)))).toEqual(invalidAt("body"));
});

test("creates no keys if an id is taken", async () => {
  const api = openApi();
  const { id, keys } = await mintOrganization();
  const taken = crypto.randomUUID();
  await api.send("POST", path, { key: keys.admin, json: [{ ...valid, id: taken }] });
  const json = [valid, { ...valid, id: taken }];
  const attempt = () => api.send("POST", path, { key: keys.admin, json });
  expect(seen(await changingNothing(id, attempt))).toEqual(
    failed("entity_already_exists", { entity: "ApiKey", field: "body[1].id", id: taken }),
  );
});

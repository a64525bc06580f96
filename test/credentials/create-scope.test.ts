import { beforeEach, expect, test } from "vitest";
import { failed, seen, succeeded } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { inline, updateOf } from "../helpers/credentials.ts";
import { mintKey, mintOrganization } from "../helpers/organization.ts";
import { callerOf, credentialKind, recordIn, recordsIn } from "../helpers/records.ts";
import { changingNothing } from "../helpers/rows.ts";

/** Creates Admin keys with access to every network, to only the first network, and to none. */
async function openScene() {
  const organization = await mintOrganization();
  const [inside, outside] = organization.networks;
  const api = openApi();
  const as = (key: string) => callerOf(api, key, credentialKind);
  return {
    ...organization,
    inside,
    outside,
    all: as(organization.keys.admin),
    limited: as(await mintKey(organization.id, { role: "Admin" }, [inside.id])),
    none: as(await mintKey(organization.id, { role: "Admin" }, [])),
  };
}

let scene: Awaited<ReturnType<typeof openScene>>;

beforeEach(async () => {
  scene = await openScene();
});

const secret = { type: "SnmpV1", community: inline("public-1") };
const bodyOf = (changes: Record<string, unknown> = {}) =>
  updateOf(scene.id, { credential_type: secret, ...changes });

test("a limited key creates, reads, replaces and deletes a credential within its networks", async () => {
  const { inside, limited, tags } = scene;
  const body = bodyOf({
    tags: tags.toSorted(),
    assigned_network_ids: [inside.id],
    host_assignments: [{ host_id: inside.host_id, ip_address_ids: [inside.ip_address_ids[0]] }],
  });
  const { id, ...created } = recordIn(await limited.create(body), 201);
  expect(created).toMatchObject({ ...body, credential_type: { type: "SnmpV1" } });
  recordIn(await limited.read(id));
  recordIn(await limited.replace(id, body));
  expect(seen(await limited.remove(id))).toEqual(succeeded({}));
  const [one, two] = recordsIn(await limited.createMany([body, body]), 201);
  expect(seen(await limited.removeMany([one?.id, two?.id]))).toEqual(
    succeeded({ requested_count: 2, deleted_count: 2 }),
  );
});

test("a limited key cannot create a credential that it could not change afterwards", async () => {
  const { id: organizationId, limited, none } = scene;
  await changingNothing(organizationId, async () => {
    for (const caller of [limited, none]) {
      expect(seen(await caller.create(bodyOf()))).toEqual(failed("auth_scope_denied"));
    }
  });
});

test("a limited key cannot refer to records outside its networks", async () => {
  const { id: organizationId, outside, inside, limited } = scene;
  const { host_id, ip_address_ids } = outside;
  const cases: [Record<string, unknown>, string, string, string | undefined][] = [
    [{ assigned_network_ids: [outside.id] }, "Network", "assigned_network_ids", outside.id],
    [
      { assigned_network_ids: [inside.id, outside.id] },
      "Network",
      "assigned_network_ids",
      outside.id,
    ],
    [{ host_assignments: [{ host_id }] }, "Host", "host_assignments[0].host_id", host_id],
    [
      { host_assignments: [{ host_id: inside.host_id, ip_address_ids: [ip_address_ids[0]] }] },
      "IPAddress",
      "host_assignments[0].ip_address_ids",
      ip_address_ids[0],
    ],
  ];
  await changingNothing(organizationId, async () => {
    for (const [changes, entity, field, id] of cases) {
      expect(seen(await limited.create(bodyOf(changes)))).toEqual(
        failed("entity_reference_invalid", { entity, field: `body.${field}`, id }),
      );
      expect(seen(await limited.createMany([bodyOf(), bodyOf(changes)]))).toEqual(
        failed("entity_reference_invalid", { entity, field: `body[1].${field}`, id }),
      );
    }
  });
});

test("a limited key cannot delete credentials assigned outside its networks, alone or with other credentials", async () => {
  const { id: organizationId, inside, outside, all, limited, none } = scene;
  const within = bodyOf({ assigned_network_ids: [inside.id] });
  const own = recordIn(await all.create(within), 201).id;
  const beyond = [
    { assigned_network_ids: [outside.id] },
    { assigned_network_ids: [inside.id, outside.id] },
    { host_assignments: [{ host_id: outside.host_id }] },
  ].map(bodyOf);
  const ids = recordsIn(await all.createMany(beyond), 201).map(({ id }) => id);
  await changingNothing(organizationId, async () => {
    for (const id of ids) {
      for (const caller of [limited, none]) {
        expect(seen(await caller.remove(id))).toEqual(failed("auth_scope_denied"));
        expect(seen(await caller.removeMany([id]))).toEqual(failed("auth_scope_denied"));
      }
      expect(seen(await limited.removeMany([own, id]))).toEqual(failed("auth_scope_denied"));
    }
    expect(seen(await none.remove(own))).toEqual(failed("auth_scope_denied"));
  });
  expect(seen(await limited.remove(own))).toEqual(succeeded({}));
});

test("a bulk delete with a limited key skips unknown and foreign ids, as with any key", async () => {
  const { limited } = scene;
  const other = await mintOrganization();
  const foreign = recordIn(
    await callerOf(openApi(), other.keys.admin, credentialKind).create(
      updateOf(other.id, { assigned_network_ids: [other.networks[0].id] }),
    ),
    201,
  ).id;
  expect(seen(await limited.removeMany([crypto.randomUUID(), foreign]))).toEqual(
    succeeded({ requested_count: 2, deleted_count: 0 }),
  );
  expect(seen(await limited.remove(foreign))).toEqual(
    failed("entity_not_found", { entity: "Credential", id: foreign }),
  );
});

test("a limited key cannot reuse the id of a credential outside its networks", async () => {
  const { outside, all, limited } = scene;
  const { id } = recordIn(await all.create(bodyOf({ assigned_network_ids: [outside.id] })), 201);
  expect(seen(await limited.create({ ...bodyOf(), id }))).toEqual(
    failed("entity_already_exists", { entity: "Credential", field: "body.id", id }),
  );
});

test("a deletion removes the assignments, but keeps their targets", async () => {
  const { inside, tags, keys, all } = scene;
  const body = bodyOf({
    tags,
    assigned_network_ids: [inside.id],
    host_assignments: [{ host_id: inside.host_id }],
  });
  const { id } = recordIn(await all.create(body), 201);
  await all.remove(id);
  const network = await openApi().send("GET", `/api/v1/networks/${inside.id}`, {
    key: keys.viewer,
  });
  expect(recordIn(network)).toMatchObject({ credential_ids: [] });
});

import { beforeAll, describe, expect, test } from "vitest";
import { failed, invalidAt, seen, succeeded } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { sql } from "../helpers/database.ts";
import {
  mintCredential,
  mintDaemon,
  mintKey,
  mintOrganization,
  mintSubnet,
} from "../helpers/organization.ts";
import { callerOf, networkKind, recordIn } from "../helpers/records.ts";
import { changingNothing } from "../helpers/rows.ts";

/**
 * Creates an organization with two records of each kind, and returns functions that assign tags.
 */
async function openScene() {
  const organization = await mintOrganization();
  const api = openApi();
  const { id, networks, keys } = organization;
  const send =
    (method: string, path: string) =>
    (json: unknown, key: string = keys.member) =>
      api.send(method, `/api/v1/tags/assign${path}`, { key, json });
  return {
    ...organization,
    api,
    records: {
      Network: { path: "networks", ids: networks.map((network) => network.id) },
      Daemon: {
        path: "daemons",
        ids: [await mintDaemon(id, networks[0].id), await mintDaemon(id, networks[0].id)],
      },
      Credential: {
        path: "credentials",
        ids: [await mintCredential(id), await mintCredential(id)],
      },
      Host: { path: "hosts", ids: networks.map(({ host_id }) => host_id) },
      Service: { path: "services", ids: networks.map(({ service_id }) => service_id) },
      Subnet: {
        path: "subnets",
        ids: [await mintSubnet(id, networks[0].id), await mintSubnet(id, networks[0].id)],
      },
    },
    assign: send("PUT", ""),
    add: send("POST", "/bulk-add"),
    remove: send("POST", "/bulk-remove"),
  };
}

let scene: Awaited<ReturnType<typeof openScene>>;

beforeAll(async () => {
  scene = await openScene();
});

const affected = (affected_count: number) => succeeded({ affected_count });
const missing = (entity: string, field: string, id: unknown) =>
  failed("entity_reference_invalid", { entity, field: `body.${field}`, id });

describe.each(["Network", "Daemon", "Credential", "Host", "Service", "Subnet"] as const)(
  "a %s's tags",
  (entity_type) => {
    const tagsOf = async (id: unknown) => {
      const path = `/api/v1/${scene.records[entity_type].path}/${id}`;
      return recordIn(await scene.api.send("GET", path, { key: scene.keys.viewer }))["tags"];
    };

    test("are replaced completely", async () => {
      const { records, tags, assign } = scene;
      const [entity_id, other] = records[entity_type].ids;
      for (const tag_ids of [[tags[0]], [tags[1]], tags.toSorted().reverse(), []]) {
        const sorted = tag_ids.toSorted();
        expect(seen(await assign({ entity_type, entity_id, tag_ids }))).toEqual(
          succeeded({ entity_type, entity_id, tag_ids: sorted }),
        );
        expect(await tagsOf(entity_id)).toEqual(sorted);
        expect(await tagsOf(other)).toEqual([]);
      }
    });

    test("can be added to and removed from many records, and the response contains the number of changed records", async () => {
      const { records, tags, assign, add, remove } = scene;
      const { ids } = records[entity_type];
      await assign({ entity_type, entity_id: ids[0], tag_ids: tags });
      const sent = { entity_type, entity_ids: ids, tag_id: tags[0] };
      expect(seen(await add(sent))).toEqual(affected(1));
      expect(seen(await add(sent))).toEqual(affected(0));
      expect(await tagsOf(ids[1])).toEqual([tags[0]]);
      expect(seen(await remove(sent))).toEqual(affected(2));
      expect(seen(await remove(sent))).toEqual(affected(0));
      expect(await tagsOf(ids[0])).toEqual([tags[1]]);
    });

    test("do not change if a record or a tag does not exist", async () => {
      const { id, records, tags, assign, add, remove } = scene;
      const other = await mintOrganization();
      const [entity_id] = records[entity_type].ids;
      const foreign = {
        Network: other.networks[0].id,
        Daemon: await mintDaemon(other.id, other.networks[0].id),
        Credential: await mintCredential(other.id),
        Host: other.networks[0].host_id,
        Service: other.networks[0].service_id,
        Subnet: await mintSubnet(other.id, other.networks[0].id),
      }[entity_type];
      await changingNothing(id, async () => {
        for (const unknown of [crypto.randomUUID(), foreign]) {
          const assigned = await assign({ entity_type, entity_id: unknown, tag_ids: [tags[0]] });
          expect(seen(assigned)).toEqual(missing(entity_type, "entity_id", unknown));
          for (const change of [add, remove]) {
            const sent = { entity_type, entity_ids: [entity_id, unknown], tag_id: tags[0] };
            expect(seen(await change(sent))).toEqual(missing(entity_type, "entity_ids", unknown));
          }
        }
        for (const unknown of [crypto.randomUUID(), other.tags[0]]) {
          const assigned = await assign({ entity_type, entity_id, tag_ids: [tags[0], unknown] });
          expect(seen(assigned)).toEqual(missing("Tag", "tag_ids", unknown));
          for (const change of [add, remove]) {
            const sent = { entity_type, entity_ids: [entity_id], tag_id: unknown };
            expect(seen(await change(sent))).toEqual(missing("Tag", "tag_id", unknown));
          }
        }
      });
    });
  },
);

test.each(["Host", "Service", "Subnet"] as const)(
  "a tag changes the entity tag of a %s and of its host, but does not start a version",
  async (entity_type) => {
    const { id, networks, tags, api, keys, assign, remove } = await openScene();
    const [{ host_id, service_id, id: network_id }] = networks;
    const subnet_id = await mintSubnet(id, network_id);
    const entity_id = { Host: host_id, Service: service_id, Subnet: subnet_id }[entity_type];
    const paths = {
      Host: [`hosts/${host_id}`],
      Service: [`services/${service_id}`, `hosts/${host_id}`],
      Subnet: [`subnets/${subnet_id}`],
    }[entity_type];
    const look = () =>
      Promise.all(
        paths.map(async (path) => {
          const answer = await api.send("GET", `/api/v1/${path}`, { key: keys.viewer });
          return { etag: answer.headers.get("ETag"), valid_from: recordIn(answer)["valid_from"] };
        }),
      );
    for (const change of [
      () => assign({ entity_type, entity_id, tag_ids: [tags[0]] }),
      () => remove({ entity_type, entity_ids: [entity_id], tag_id: tags[0] }),
    ]) {
      const before = await look();
      expect(await change()).toMatchObject({ status: 200 });
      const after = await look();
      for (const [at, { etag, valid_from }] of after.entries()) {
        expect(etag).not.toBe(before[at]?.etag);
        expect(valid_from).toBe(before[at]?.valid_from);
      }
    }
  },
);

test("rejects a record of another kind", async () => {
  const { records, tags, assign } = scene;
  const [entity_id] = records.Daemon.ids;
  expect(seen(await assign({ entity_type: "Network", entity_id, tag_ids: [...tags] }))).toEqual(
    missing("Network", "entity_id", entity_id),
  );
});

test.each([
  ["an unknown entity_type", { entity_type: "daemon" }, "body.entity_type"],
  [
    "1,001 records",
    { entity_ids: Array.from({ length: 1001 }, () => crypto.randomUUID()) },
    "body.entity_ids",
  ],
  ["no record", { entity_ids: [] }, "body.entity_ids"],
  ["several tags", { tag_id: [crypto.randomUUID()] }, "body.tag_id"],
  ["an unknown field", { tag_ids: [] }, "body.tag_ids"],
])("rejects %s", async (_, changes, path) => {
  const { id, records, tags, add, remove } = scene;
  const sent = {
    entity_type: "Daemon",
    entity_ids: records.Daemon.ids,
    tag_id: tags[0],
    ...changes,
  };
  await changingNothing(id, async () => {
    expect(seen(await add(sent))).toEqual(invalidAt(path));
    expect(seen(await remove(sent))).toEqual(invalidAt(path));
  });
});

test.each([
  ["a tag twice", (tag: string) => [tag, tag.toUpperCase()], "body.tag_ids[1]"],
  ["1,001 tags", () => Array.from({ length: 1001 }, () => crypto.randomUUID()), "body.tag_ids"],
  ["null", () => null, "body.tag_ids"],
])("rejects %s as a set of tags", async (_, of, path) => {
  const { records, tags, assign } = scene;
  const [entity_id] = records.Daemon.ids;
  const answer = await assign({ entity_type: "Daemon", entity_id, tag_ids: of(tags[0]) });
  expect(seen(answer)).toEqual(invalidAt(path));
});

test("tags 1,000 records in one call", async () => {
  const { tags, keys } = scene;
  const api = openApi();
  const bulk = callerOf(api, keys.admin, networkKind);
  const entity_ids: string[] = [];
  for (let round = 0; round < 10; round++) {
    const records = Array.from({ length: 100 }, () => ({ name: "Many", id: crypto.randomUUID() }));
    expect(await bulk.createMany(records)).toMatchObject({ status: 201 });
    entity_ids.push(...records.map((record) => record.id));
  }
  const before = await api.calls();
  const answer = await api.send("POST", "/api/v1/tags/assign/bulk-add", {
    key: keys.member,
    json: { entity_type: "Network", entity_ids, tag_id: tags[0] },
  });
  expect(seen(answer)).toEqual(affected(1000));
  expect(await api.calls()).toBe(before + 1);
});

test("a record has at most 1,000 tags", async () => {
  const { id, networks, tags, keys, add, remove } = await openScene();
  const [{ id: network }] = networks;
  await sql`
    with made as (
      insert into tags (organization_id, name)
      select ${id}, 'Many ' || number from generate_series(1, 999) as number
      returning organization_id, id)
    insert into network_tags (organization_id, network_id, tag_id)
    select organization_id, ${network}, id from made`;
  const both = networks.map((one) => one.id);
  const sent = (tag_id: string) => ({ entity_type: "Network", entity_ids: both, tag_id });
  expect(seen(await add(sent(tags[0])))).toEqual(affected(2));
  const answer = await changingNothing(id, () => add(sent(tags[1])));
  expect(seen(answer)).toEqual(invalidAt("body.entity_ids"));
  expect(answer.text).toContain(`adds to the network ${network}, which already has 1000 tags`);
  expect(seen(await add(sent(tags[0])))).toEqual(affected(0));
  await remove(sent(tags[0]), keys.member);
  expect(seen(await add(sent(tags[1])))).toEqual(affected(2));
});

describe("a key limited to specific networks", () => {
  test("can tag daemons on its networks, and does not see other daemons", async () => {
    const own = await openScene();
    const { id, networks, tags, records, assign, add } = own;
    const key = await mintKey(id, { role: "Member" }, [networks[0].id]);
    const [entity_id] = records.Daemon.ids;
    const beyond = await mintDaemon(id, networks[1].id);
    const sent = { entity_type: "Daemon", entity_id, tag_ids: [tags[0]] };
    expect(await assign(sent, key)).toMatchObject({ status: 200 });
    await changingNothing(id, async () => {
      expect(seen(await assign({ ...sent, entity_id: beyond }, key))).toEqual(
        missing("Daemon", "entity_id", beyond),
      );
      const many = { entity_type: "Daemon", entity_ids: [entity_id, beyond], tag_id: tags[1] };
      expect(seen(await add(many, key))).toEqual(missing("Daemon", "entity_ids", beyond));
    });
  });

  test.each(["Host", "Service", "Subnet"] as const)(
    "can tag a %s on its networks, and does not see those on other networks",
    async (entity_type) => {
      const own = await openScene();
      const { id, networks, tags, records, assign, add } = own;
      const key = await mintKey(id, { role: "Member" }, [networks[0].id]);
      const [entity_id] = records[entity_type].ids;
      const beyond = {
        Host: networks[1].host_id,
        Service: networks[1].service_id,
        Subnet: await mintSubnet(id, networks[1].id),
      }[entity_type];
      expect(await assign({ entity_type, entity_id, tag_ids: [tags[0]] }, key)).toMatchObject({
        status: 200,
      });
      await changingNothing(id, async () => {
        expect(
          seen(await assign({ entity_type, entity_id: beyond, tag_ids: [tags[0]] }, key)),
        ).toEqual(missing(entity_type, "entity_id", beyond));
        const many = { entity_type, entity_ids: [entity_id, beyond], tag_id: tags[1] };
        expect(seen(await add(many, key))).toEqual(missing(entity_type, "entity_ids", beyond));
      });
    },
  );

  test("cannot tag networks, not even its own", async () => {
    const own = await openScene();
    const { id, networks, tags, assign, add, remove } = own;
    const key = await mintKey(id, { role: "Owner" }, [networks[0].id]);
    const entity_type = "Network";
    await changingNothing(id, async () => {
      const sent = { entity_type, entity_ids: [networks[0].id], tag_id: tags[0] };
      for (const answer of [
        await assign({ entity_type, entity_id: networks[0].id, tag_ids: [] }, key),
        await add(sent, key),
        await remove(sent, key),
      ]) {
        expect(seen(answer)).toEqual(failed("auth_scope_denied"));
      }
      const beyond = { entity_type, entity_id: networks[1].id, tag_ids: [] };
      expect(seen(await assign(beyond, key))).toEqual(
        missing(entity_type, "entity_id", networks[1].id),
      );
    });
  });

  test("can tag only credentials whose assignments are all in its networks", async () => {
    const own = await openScene();
    const { id, networks, tags, records, assign, add, remove, api, keys } = own;
    const key = await mintKey(id, { role: "Member" }, [networks[0].id]);
    const [entity_id, beyond] = records.Credential.ids;
    const { replace } = callerOf(api, keys.admin, networkKind);
    await replace(networks[0].id, { name: "Inside", credential_ids: [entity_id, beyond] });
    await replace(networks[1].id, { name: "Outside", credential_ids: [beyond] });
    const entity_type = "Credential";
    const sent = { entity_type, entity_id, tag_ids: [...tags].sort() };
    expect(await assign(sent, key)).toMatchObject({ status: 200 });
    await changingNothing(id, async () => {
      const many = { entity_type, entity_ids: [entity_id, beyond], tag_id: tags[0] };
      for (const answer of [
        await assign({ ...sent, entity_id: beyond }, key),
        await assign({ ...sent, entity_id: beyond, tag_ids: [] }, key),
        await add(many, key),
        await remove(many, key),
      ]) {
        expect(seen(answer)).toEqual(failed("auth_scope_denied"));
      }
    });
  });
});

import { expect, test } from "vitest";
import { failed, invalidAt, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { updateOf } from "../helpers/credentials.ts";
import { sql } from "../helpers/database.ts";
import { mintCredential, mintOrganization } from "../helpers/organization.ts";
import { callerOf, credentialKind, networkKind, recordIn } from "../helpers/records.ts";
import { changingNothing } from "../helpers/rows.ts";

async function open() {
  const organization = await mintOrganization();
  const api = openApi();
  const credential = await mintCredential(organization.id);
  return {
    organization,
    credential,
    networks: callerOf(api, organization.keys.admin, networkKind),
    credentials: callerOf(api, organization.keys.admin, credentialKind),
  };
}

test("creates a network with its sets, and returns them sorted", async () => {
  const { organization, networks } = await open();
  const credential_ids = [
    await mintCredential(organization.id),
    await mintCredential(organization.id),
  ];
  const sent = { name: "New", tags: organization.tags.toSorted().reverse(), credential_ids };
  expect(recordIn(await networks.create(sent), 201)).toMatchObject({
    tags: organization.tags.toSorted(),
    credential_ids: credential_ids.toSorted(),
  });
});

test("credential_ids and assigned_network_ids are two sides of the same set", async () => {
  const { organization, credential, networks, credentials } = await open();
  const { id } = recordIn(
    await networks.create({ name: "New", credential_ids: [credential] }),
    201,
  );
  const assigned = async () => recordIn(await credentials.read(credential))["assigned_network_ids"];
  const used = async () => recordIn(await networks.read(id))["credential_ids"];
  expect(await assigned()).toEqual([id]);
  await credentials.replace(credential, updateOf(organization.id));
  expect(await used()).toEqual([]);
  const again = updateOf(organization.id, { assigned_network_ids: [id] });
  await credentials.replace(credential, again);
  expect(await used()).toEqual([credential]);
  await networks.replace(id, { name: "New" });
  expect(await assigned()).toEqual([]);
});

test("a PUT removes omitted members, and resets omitted fields", async () => {
  const { organization, credential, networks } = await open();
  const { tags } = organization;
  const whole = {
    name: "New",
    description: "Some",
    stale_after_hours: 24,
    tags,
    credential_ids: [credential],
  };
  const { id } = recordIn(await networks.create(whole), 201);
  const fewer = { ...whole, tags: [tags[1]] };
  expect(recordIn(await networks.replace(id, fewer))).toMatchObject(fewer);
  expect(recordIn(await networks.replace(id, { name: "New" }))).toMatchObject({
    description: null,
    stale_after_hours: null,
    tags: [],
    credential_ids: [],
  });
});

test.each([
  ["tags", "Tag"],
  ["credential_ids", "Credential"],
])("rejects unknown %s with their path", async (field, entity) => {
  const { organization, networks } = await open();
  const other = await mintOrganization();
  const foreign = field === "tags" ? other.tags[0] : await mintCredential(other.id);
  const [{ id }] = organization.networks;
  for (const missing of [crypto.randomUUID(), foreign]) {
    await changingNothing(organization.id, async () => {
      const wrong = { name: "New", [field]: [missing] };
      const refused = { entity, field: `body.${field}`, id: missing };
      expect(seen(await networks.create(wrong))).toEqual(
        failed("entity_reference_invalid", refused),
      );
      expect(seen(await networks.replace(id, wrong))).toEqual(
        failed("entity_reference_invalid", refused),
      );
      expect(seen(await networks.createMany([{ name: "New" }, wrong]))).toEqual(
        failed("entity_reference_invalid", { ...refused, field: `body[1].${field}` }),
      );
    });
  }
});

test("networks in a bulk create can share tags and credentials", async () => {
  const { organization, credential, networks, credentials } = await open();
  const sent = { tags: organization.tags.toSorted(), credential_ids: [credential] };
  const answer = await networks.createMany([
    { name: "One", ...sent },
    { name: "Two", ...sent },
  ]);
  expect(answer).toMatchObject({ status: 201, body: { data: [sent, sent] } });
  expect(recordIn(await credentials.read(credential))["assigned_network_ids"]).toHaveLength(2);
});

test("a credential has at most 1,000 networks", async () => {
  const { organization, credential, networks, credentials } = await open();
  await sql`
    with made as (
      insert into networks (organization_id, name)
      select ${organization.id}, 'Many' from generate_series(1, 999) returning organization_id, id)
    insert into credential_networks (organization_id, network_id, credential_id)
    select organization_id, id, ${credential} from made`;
  const body = () => ({ name: "New", credential_ids: [credential] });
  const { id } = recordIn(await networks.create(body()), 201);
  const assigned = recordIn(await credentials.read(credential))["assigned_network_ids"];
  expect(assigned).toHaveLength(1000);
  const [{ id: other }] = organization.networks;
  await changingNothing(organization.id, async () => {
    expect(seen(await networks.create(body()))).toEqual(invalidAt("body.credential_ids"));
    expect(seen(await networks.replace(other, body()))).toEqual(invalidAt("body.credential_ids"));
    expect(seen(await networks.createMany([{ name: "New" }, body()]))).toEqual(
      invalidAt("body[1].credential_ids"),
    );
  });
  recordIn(await networks.replace(id, body()));
});

import { describe, expect, test } from "vitest";
import { demoSealingKeys } from "../../drizzle/demo/sealing-keys.ts";
import { KeyRing } from "../../src/database/sealing.ts";
import { parseSealingKeys } from "../../src/env.ts";
import { failed, invalidAt, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { recordConsole } from "../helpers/console.ts";
import {
  inline,
  masked,
  networksFor,
  sealedSecrets,
  settingsOfTypes,
  snmpV3,
  updateOf,
} from "../helpers/credentials.ts";
import { mintCredential, mintOrganization } from "../helpers/organization.ts";
import { pem } from "../helpers/pem.ts";
import { callerOf, credentialKind, recordIn, recordsIn } from "../helpers/records.ts";
import { changingNothing, rowsHolding } from "../helpers/rows.ts";

async function open() {
  const organization = await mintOrganization();
  const api = openApi();
  const caller = callerOf(api, organization.keys.admin, credentialKind);
  return { organization, api, ...caller };
}

const secretOf = (name: string) => `${name}-${crypto.randomUUID()}`;

test.each(Object.values(settingsOfTypes))(
  "creates a credential of the type $type and reads it as it was sent",
  async (credential_type) => {
    const { organization, create, read } = await open();
    const { networks, tags, id: organization_id } = organization;
    const [{ id: network, host_id, ip_address_ids }] = networks;
    const sent = updateOf(organization_id, {
      tags: tags.toSorted(),
      assigned_network_ids: networksFor(credential_type.type, [network]),
      host_assignments: [{ host_id, ip_address_ids: [ip_address_ids[0]] }],
      credential_type,
    });
    const created = recordIn(await create(sent), 201);
    expect(created).toMatchObject(sent);
    expect(recordIn(await read(created.id))).toEqual(created);
  },
);

test.each(["UnifiApiKey", "UnifiLocalAdmin", "InstantOnAccount", "WakeOnLan"] as const)(
  "a credential of the type %s cannot be assigned to networks",
  async (type) => {
    const { organization, api, create, createMany } = await open();
    const body = updateOf(organization.id, {
      assigned_network_ids: [organization.networks[0].id],
      credential_type: settingsOfTypes[type],
    });
    const id = await mintCredential(organization.id);
    const send = (method: string, path: string, json: unknown) =>
      api.send(method, `/api/v1/credentials/${path}`, { key: organization.keys.admin, json });
    for (const attempt of [
      () => create(body),
      () => send("PUT", id, body),
      () => send("PUT", "by-external-id/controller", body),
      () =>
        send("PATCH", id, {
          assigned_network_ids: body.assigned_network_ids,
          credential_type: body.credential_type,
        }),
    ]) {
      expect(seen(await changingNothing(organization.id, attempt))).toEqual(
        invalidAt("body.assigned_network_ids"),
      );
    }
    const many = await changingNothing(organization.id, () => createMany([body]));
    expect(seen(many)).toEqual(invalidAt("body[0].assigned_network_ids"));
  },
);

test("a bulk create gives each credential its own hosts and addresses", async () => {
  const { organization, createMany } = await open();
  const [first, second] = organization.networks;
  const bodies = [
    { host_id: first.host_id, ip_address_ids: first.ip_address_ids.toSorted() },
    { host_id: first.host_id, ip_address_ids: null },
    { host_id: second.host_id, ip_address_ids: [second.ip_address_ids[1]] },
  ].map((assignment) => updateOf(organization.id, { host_assignments: [assignment] }));
  expect(recordsIn(await createMany(bodies), 201)).toMatchObject(bodies);
});

test("seals secrets for the new record only", async () => {
  const { organization, create, createMany } = await open();
  const ring = new KeyRing(parseSealingKeys(demoSealingKeys));
  const body = updateOf(organization.id, { credential_type: snmpV3 });
  const one = await create({ ...body, id: crypto.randomUUID().toUpperCase() });
  const records = [
    recordIn(one, 201),
    ...recordsIn(await createMany([updateOf(organization.id), body, body]), 201),
  ];
  const sealed = await Promise.all(records.map(({ id }) => sealedSecrets(id)));
  expect(sealed.map((fields) => Object.keys(fields).sort())).toEqual([
    ["auth_password", "priv_password"],
    [],
    ["auth_password", "priv_password"],
    ["auth_password", "priv_password"],
  ]);
  for (const [position, { id }] of records.entries()) {
    for (const [field, text] of Object.entries(sealed[position] ?? {})) {
      const place = { record: "credential", organization_id: organization.id, id, field } as const;
      expect(await ring.open(text, place)).toBe(field.replace("_password", "-password"));
      await expect(ring.open(text, { ...place, id: crypto.randomUUID() })).rejects.toThrow();
    }
  }
});

test("a new credential's secret never appears in a response, the log or the database", async () => {
  const logs = recordConsole();
  const { organization, create, createMany, read, api } = await open();
  const secrets = [secretOf("one"), secretOf("two"), secretOf("three"), pem.pkcs8Key];
  const of = (changes: object) => updateOf(organization.id, { credential_type: { ...changes } });
  const community = (text = "") => of({ type: "SnmpV1", community: inline(text) });
  const options = { headers: { "Idempotency-Key": crypto.randomUUID() } };
  const answers = [
    await create(community(secrets[0]), options),
    await create(community(secrets[0]), options),
    await createMany([
      community(secrets[1]),
      of({ type: "DockerProxy", ssl_key: inline(pem.pkcs8Key) }),
    ]),
    await create({ ...community(secrets[2]), name: "" }),
    await create({ ...community(secrets[2]), tags: [crypto.randomUUID()] }),
    await createMany([{ ...community(secrets[2]), unknown: secrets[2] }]),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 400, 400, 400]);
  const [first] = answers;
  answers.push(
    await read(first ? recordIn(first, 201).id : ""),
    await api.send("GET", "/api/v1/credentials", { key: organization.keys.viewer }),
  );
  expect(answers.at(-1)?.text).toContain("********");
  const lines = secrets.flatMap((text) => text.split("\n")).filter((line) => line.length > 20);
  const texts = answers.map(({ text, headers }) => text + JSON.stringify([...headers])).join();
  for (const line of lines.filter((text) => !text.startsWith("-----"))) {
    expect(texts).not.toContain(line);
    expect(logs()).not.toContain(line);
  }
  expect(await rowsHolding(secrets)).toEqual([]);
}, 60_000);

describe("a mask", () => {
  const message = "is a mask, but there is no stored secret to keep: send the secret itself";
  const masks = [
    [{ type: "SnmpV1", community: masked }, ["community"]],
    [
      { ...snmpV3, auth_password: masked, priv_password: masked },
      ["auth_password", "priv_password"],
    ],
    [{ type: "DockerProxy", ssl_key: masked }, ["ssl_key"]],
  ] as const;

  test.each(masks)(
    "of %j is rejected, because there is no secret to keep",
    async (credential_type, fields) => {
      const { organization, create, createMany } = await open();
      const sent = updateOf(organization.id, { credential_type });
      const below = (path: string) =>
        fields.map((field) => `${path}.credential_type.${field}.value`);
      await changingNothing(organization.id, async () => {
        const one = await create(sent);
        expect(seen(one)).toEqual(invalidAt(...below("body")));
        expect(one.text).toContain(message);
        const many = await createMany([updateOf(organization.id), sent]);
        expect(seen(many)).toEqual(invalidAt(...below("body[1]")));
      });
    },
  );
});

test("rejects the organization_id of another organization", async () => {
  const { organization, create, createMany } = await open();
  const other = await mintOrganization();
  for (const id of [other.id, crypto.randomUUID()]) {
    const refused = { entity: "Organization", field: "body.organization_id", id };
    await changingNothing(organization.id, async () => {
      expect(seen(await create(updateOf(id)))).toEqual(failed("entity_reference_invalid", refused));
      expect(seen(await createMany([updateOf(organization.id), updateOf(id)]))).toEqual(
        failed("entity_reference_invalid", { ...refused, field: "body[1].organization_id" }),
      );
    });
  }
});

test("sets are optional and empty by default", async () => {
  const { organization, create } = await open();
  const { organization_id, name, credential_type } = updateOf(organization.id);
  const answer = await create({ organization_id, name, credential_type });
  expect(answer).toMatchObject({
    status: 201,
    body: { data: { tags: [], assigned_network_ids: [], host_assignments: [] } },
  });
});

test("a 900 KB body takes one call if the isolate has cached the key", async () => {
  const { organization, api, createMany } = await open();
  await api.send("GET", "/api/v1/auth/whoami", { key: organization.keys.admin });
  const large = { type: "DockerProxy", ssl_cert: inline(pem.certificate.repeat(40)) };
  const body = updateOf(organization.id, { credential_type: large });
  const count = Math.floor(900_000 / JSON.stringify(body).length);
  expect(recordsIn(await createMany(Array.from({ length: count }, () => body)), 201)).toHaveLength(
    count,
  );
  expect(await api.calls()).toBe(2);
});

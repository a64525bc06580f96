import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { credentialIn, inline, putCredential, updateOf } from "../helpers/credentials.ts";
import {
  mintCredential,
  mintHost,
  mintKey,
  mintOrganization,
  type Network,
  type Organization,
} from "../helpers/organization.ts";
import { rowsOf } from "../helpers/rows.ts";

/** Each field that refers to something: an update that refers to a record, and what is answered. */
const references: {
  field: string;
  entity: string;
  /** A record of an organization that the field could refer to. */
  idOf: (organization: Organization) => string;
  sent: (own: Organization, id: string) => Record<string, unknown>;
}[] = [
  {
    field: "organization_id",
    entity: "Organization",
    idOf: ({ id }) => id,
    sent: (_, id) => ({ organization_id: id }),
  },
  {
    field: "tags",
    entity: "Tag",
    idOf: ({ tags }) => tags[1],
    sent: ({ tags }, id) => ({ tags: [tags[0], id] }),
  },
  {
    field: "assigned_network_ids",
    entity: "Network",
    idOf: ({ networks }) => networks[1].id,
    sent: ({ networks }, id) => ({ assigned_network_ids: [networks[0].id, id] }),
  },
  {
    field: "host_assignments.host_id",
    entity: "Host",
    idOf: ({ networks }) => networks[1].host_id,
    sent: ({ networks }, id) => ({
      host_assignments: [{ host_id: networks[0].host_id }, { host_id: id }],
    }),
  },
  {
    field: "host_assignments.ip_address_ids",
    entity: "IPAddress",
    idOf: ({ networks }) => networks[0].ip_address_ids[1],
    sent: ({ networks: [{ host_id, ip_address_ids }] }, id) => ({
      host_assignments: [{ host_id, ip_address_ids: [ip_address_ids[0], id] }],
    }),
  },
];

/** A credential with something in every set, so that a lost member would show. */
async function mintFull({ id: organization_id, keys, networks, tags }: Organization) {
  const id = await mintCredential(organization_id);
  const sent = updateOf(organization_id, {
    tags,
    assigned_network_ids: [networks[0].id],
    host_assignments: [{ host_id: networks[0].host_id }],
    credential_type: { type: "SnmpV1", community: inline("public-1") },
  });
  credentialIn(await putCredential(openApi(), keys.admin, id, sent));
  return id;
}

/** An update that changes everything else, so that half of it would show. */
const changed = {
  name: "Changed",
  credential_type: { type: "SnmpV2c", community: inline("public-2") },
};

test.each(references)(
  "$field of another organization and of nobody are answered alike",
  async (row) => {
    const api = openApi();
    const own = await mintOrganization();
    const other = await mintOrganization();
    const id = await mintFull(own);
    const before = await rowsOf(own.id);
    const othersBefore = await rowsOf(other.id);
    const answers = [];
    for (const wrong of [row.idOf(other), crypto.randomUUID()]) {
      const sent = updateOf(own.id, { ...changed, ...row.sent(own, wrong) });
      const answer = await putCredential(api, own.keys.admin, id, sent);
      expect(answer).toMatchObject({
        status: 400,
        body: {
          success: false,
          code: "entity_reference_invalid",
          params: { entity: row.entity, field: row.field, id: wrong },
        },
      });
      answer.headers.delete("X-Request-Id");
      answers.push([answer.text.replaceAll(wrong, "ID"), [...answer.headers]]);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(await rowsOf(own.id)).toEqual(before);
    expect(await rowsOf(other.id)).toEqual(othersBefore);
    expect(await api.calls()).toBe(2);
  },
);

test.each(references)("$field of the organization itself is taken", async (row) => {
  const api = openApi();
  const own = await mintOrganization();
  const id = await mintCredential(own.id);
  const sent = updateOf(own.id, row.sent(own, row.idOf(own)));
  const answer = await putCredential(api, own.keys.admin, id, sent);
  expect(JSON.stringify(credentialIn(answer))).toContain(row.idOf(own));
});

const assignedTo = (host_id: string, address: string) => ({
  host_assignments: [{ host_id, ip_address_ids: [address] }],
});

test.each([
  {
    whose: "another host on the network",
    find: async (own: Organization, network: Network) =>
      (await mintHost(own.id, network.id)).ip_address_ids[0],
  },
  {
    whose: "a host on another network",
    find: async ({ networks }: Organization) => networks[1].ip_address_ids[0],
  },
])("an address of $whose is refused", async ({ find }) => {
  const api = openApi();
  const own = await mintOrganization();
  const [network] = own.networks;
  const id = await mintFull(own);
  const address = await find(own, network);
  const before = await rowsOf(own.id);
  const sent = updateOf(own.id, { ...changed, ...assignedTo(network.host_id, address) });
  expect(await putCredential(api, own.keys.admin, id, sent)).toMatchObject({
    status: 400,
    body: {
      code: "entity_reference_invalid",
      params: { entity: "IPAddress", field: "host_assignments.ip_address_ids", id: address },
    },
  });
  expect(await rowsOf(own.id)).toEqual(before);
});

test.each([
  {
    what: "a network",
    reference: { entity: "Network", field: "assigned_network_ids" },
    sent: ({ id }: Network) => ({ id, changes: { assigned_network_ids: [id] } }),
  },
  {
    what: "a host",
    reference: { entity: "Host", field: "host_assignments.host_id" },
    sent: ({ host_id: id }: Network) => ({ id, changes: { host_assignments: [{ host_id: id }] } }),
  },
  {
    what: "a host by its address",
    reference: { entity: "Host", field: "host_assignments.host_id" },
    sent: ({ host_id: id, ip_address_ids: [address] }: Network) => ({
      id,
      changes: assignedTo(id, address),
    }),
  },
])("a key limited to networks cannot refer to $what outside them", async ({ reference, sent }) => {
  const api = openApi();
  const own = await mintOrganization();
  const [inside, outside] = own.networks;
  const id = await mintFull(own);
  const key = await mintKey(own.id, { role: "Admin" }, [inside.id]);
  const before = await rowsOf(own.id);
  const wrong = sent(outside);
  const nobodys = sent({
    ...outside,
    id: crypto.randomUUID(),
    host_id: crypto.randomUUID(),
    ip_address_ids: [crypto.randomUUID(), crypto.randomUUID()],
  });
  const answers = [];
  for (const one of [wrong, nobodys]) {
    const answer = await putCredential(
      api,
      key,
      id,
      updateOf(own.id, { ...changed, ...one.changes }),
    );
    expect(answer).toMatchObject({
      status: 400,
      body: { code: "entity_reference_invalid", params: { ...reference, id: one.id } },
    });
    answers.push(answer.text.replaceAll(one.id, "ID"));
  }
  expect(answers[0]).toBe(answers[1]);
  expect(await rowsOf(own.id)).toEqual(before);

  const right = sent(inside);
  const taken = await putCredential(api, key, id, updateOf(own.id, right.changes));
  expect(credentialIn(taken)).toMatchObject(right.changes);
});

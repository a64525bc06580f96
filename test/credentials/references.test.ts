import { expect, test } from "vitest";
import { failed, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { credentialIn, inline, putCredential, updateOf } from "../helpers/credentials.ts";
import { sql } from "../helpers/database.ts";
import {
  mintCredential,
  mintHost,
  mintOrganization,
  type Network,
  type Organization,
} from "../helpers/organization.ts";
import { changingNothing } from "../helpers/rows.ts";

/** Creates a credential with members in every set, so that the test detects a lost member. */
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

/** An update that changes all other fields, so that the test detects a partial update. */
const changed = {
  name: "Changed",
  credential_type: { type: "SnmpV2c", community: inline("public-2") },
};

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
])("rejects an address of $whose", async ({ find }) => {
  const api = openApi();
  const own = await mintOrganization();
  const [network] = own.networks;
  const id = await mintFull(own);
  const address = await find(own, network);
  const sent = updateOf(own.id, { ...changed, ...assignedTo(network.host_id, address) });
  const answer = await changingNothing(own.id, () => putCredential(api, own.keys.admin, id, sent));
  expect(seen(answer)).toEqual(
    failed("entity_reference_invalid", {
      entity: "IPAddress",
      field: "body.host_assignments[0].ip_address_ids",
      id: address,
    }),
  );
});

test("rejects a deleted host, and names it in the response", async () => {
  const { id, keys, networks } = await mintOrganization();
  const [{ host_id, ip_address_ids }] = networks;
  const api = openApi();
  const deleted = await api.send("DELETE", `/api/v1/hosts/${host_id}`, { key: keys.owner });
  expect(deleted.status).toBe(200);
  // Its closed versions have ids of their own.
  const closed =
    await sql`select id from hosts where organization_id = ${id} and valid_to is not null`;
  const gone = String(closed[0]?.["id"]);
  for (const [assignment, expectedId] of [
    [{ host_id }, host_id],
    [{ host_id: gone }, gone],
    [{ host_id: gone, ip_address_ids: [ip_address_ids[0]] }, gone],
  ] as const) {
    const json = { ...updateOf(id), host_assignments: [assignment] };
    expect(seen(await api.send("POST", "/api/v1/credentials", { key: keys.owner, json }))).toEqual(
      failed("entity_reference_invalid", {
        entity: "Host",
        field: "body.host_assignments[0].host_id",
        id: expectedId,
      }),
    );
  }
});

test.each(["PUT", "POST"])(
  "of several unknown references, %s names the first tag in request order, then the network, then the host",
  async (method) => {
    const api = openApi();
    const { id: organization_id, keys, tags, networks } = await mintOrganization();
    const path = `/api/v1/credentials${method === "PUT" ? `/${await mintCredential(organization_id)}` : ""}`;
    const [high, low] = [crypto.randomUUID(), crypto.randomUUID()].sort().reverse();
    const known = { host_id: networks[0].host_id };
    const unknown = {
      tags: [tags[0], high, low],
      assigned_network_ids: [networks[0].id, high, low],
      host_assignments: [known, { host_id: high }, { host_id: low }],
    };
    const invalid = (entity: string, field: string) =>
      failed("entity_reference_invalid", { entity, field: `body.${field}`, id: high });
    for (const [sent, expected] of [
      [unknown, invalid("Tag", "tags")],
      [{ ...unknown, tags }, invalid("Network", "assigned_network_ids")],
      [
        { host_assignments: unknown.host_assignments },
        invalid("Host", "host_assignments[1].host_id"),
      ],
    ] as const) {
      const json = updateOf(organization_id, sent);
      const answer = await changingNothing(organization_id, () =>
        api.send(method, path, { key: keys.admin, json }),
      );
      expect(seen(answer)).toEqual(expected);
    }
  },
);

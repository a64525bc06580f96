import { beforeEach, describe, expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import {
  credentialIn,
  inline,
  putCredential,
  readCredential,
  updateOf,
} from "../helpers/credentials.ts";
import { enter, refusalOf, sql } from "../helpers/database.ts";
import { mintCredential, mintKey, mintOrganization } from "../helpers/organization.ts";

/**
 * Creates an organization with two networks, a key limited to the first network, and a credential.
 * Tests use `assign` to assign the credential to the host on that network; this also assigns it to
 * a host outside the key's networks.
 */
async function openScene() {
  const api = openApi();
  const organization = await mintOrganization();
  const { id: organization_id, keys, tags } = organization;
  const [inside, outside] = organization.networks;
  const limited = await mintKey(organization_id, { role: "Member" }, [inside.id]);
  const credential_id = await mintCredential(organization_id);
  const assign = async (host_assignments: object[], assigned_network_ids: string[] = []) => {
    const sent = updateOf(organization_id, {
      tags,
      credential_type: { type: "SnmpV1", community: inline("public-1") },
      assigned_network_ids,
      host_assignments: [...host_assignments, { host_id: outside.host_id, ip_address_ids: null }],
    });
    credentialIn(await putCredential(api, keys.admin, credential_id, sent));
  };
  const send = (method: string, path: string, json?: unknown, key = limited) =>
    api.send(method, `/api/v1/${path}`, { key, json });
  const assignments = async () =>
    (await readCredential(api, keys.admin, credential_id)).host_assignments.filter(
      ({ host_id }) => host_id !== outside.host_id,
    );
  /**
   * Returns the credential's audit entries, newest first, each as its action and changed fields.
   */
  const audited = async () => {
    const { body } = await send("GET", `audit?entity_id=${credential_id}`, undefined, keys.admin);
    return (body as { data: { action: string; changed: string[] }[] }).data.map(
      ({ action, changed }) => [action, ...changed].join(" "),
    );
  };
  return {
    organization_id,
    inside,
    outside,
    limited,
    credential_id,
    assign,
    send,
    assignments,
    audited,
  };
}

let scene: Awaited<ReturnType<typeof openScene>>;

beforeEach(async () => {
  scene = await openScene();
});

type Scene = typeof scene;

const deletions: {
  what: string;
  request: (scene: Scene) => [method: string, path: string, json?: unknown];
}[] = [
  { what: "deletes the host", request: ({ inside }) => ["DELETE", `hosts/${inside.host_id}`] },
  {
    what: "deletes the host among several",
    request: ({ inside }) => ["POST", "hosts/bulk-delete", [inside.host_id]],
  },
];

const removals: typeof deletions = [
  {
    what: "deletes the address",
    request: ({ inside }) => ["DELETE", `ip-addresses/${inside.ip_address_ids[0]}`],
  },
  {
    what: "deletes the address among several",
    request: ({ inside }) => ["POST", "ip-addresses/bulk-delete", [inside.ip_address_ids[0]]],
  },
  {
    what: "replaces the host without the address",
    request: ({ inside }) => [
      "PUT",
      `hosts/${inside.host_id}`,
      { name: "Test", ip_addresses: [{ id: inside.ip_address_ids[1], ip_address: "192.0.2.2" }] },
    ],
  },
  {
    what: "patches the host so that the address is removed",
    request: ({ inside }) => [
      "PATCH",
      `hosts/${inside.host_id}`,
      { ip_addresses: [{ id: inside.ip_address_ids[1], ip_address: "192.0.2.2" }] },
    ],
  },
];

describe("a limited key, and a credential that is also assigned outside its networks", () => {
  test.each([...deletions, ...removals])(
    "$what: the assignment to the whole host is deleted only with the host",
    async ({ what, request }) => {
      const { inside, assign, send, assignments, audited } = scene;
      await assign([{ host_id: inside.host_id, ip_address_ids: null }]);
      expect(await send(...request(scene))).toMatchObject({ status: 200 });
      const isGone = what.startsWith("deletes the host");
      expect(await assignments()).toEqual(
        isGone ? [] : [{ host_id: inside.host_id, ip_address_ids: null }],
      );
      expect((await audited())[0]).toBe(`${isGone ? "unassigned" : "assigned"} host_assignments`);
    },
  );

  test.each([...deletions, ...removals])(
    "$what: the assignment to the address is deleted",
    async ({ request }) => {
      const { inside, assign, send, assignments, audited } = scene;
      await assign(
        [{ host_id: inside.host_id, ip_address_ids: [inside.ip_address_ids[0]] }],
        [scene.outside.id],
      );
      expect(await send(...request(scene))).toMatchObject({ status: 200 });
      expect(await assignments()).toEqual([]);
      expect((await audited())[0]).toBe("unassigned host_assignments");
    },
  );

  test.each(removals)("$what: the assignment to the other address is kept", async ({ request }) => {
    const { inside, assign, send, assignments } = scene;
    await assign([{ host_id: inside.host_id, ip_address_ids: inside.ip_address_ids }]);
    expect(await send(...request(scene))).toMatchObject({ status: 200 });
    expect(await assignments()).toEqual([
      { host_id: inside.host_id, ip_address_ids: [inside.ip_address_ids[1]] },
    ]);
  });

  test("cannot delete an assignment to a host or an address that remains", async () => {
    const { organization_id, inside, assign, credential_id } = scene;
    await assign([{ host_id: inside.host_id, ip_address_ids: inside.ip_address_ids }]);
    const key = await mintKey(organization_id, { role: "Owner" }, [inside.id]);
    for (const statement of [
      sql`delete from credential_hosts where credential_id = ${credential_id}`,
      sql`delete from credential_host_ip_addresses
        where credential_id = ${credential_id} and ip_address_id = ${inside.ip_address_ids[0]}`,
    ]) {
      expect(await refusalOf(sql.transaction([enter(key), statement]))).toMatchObject({
        code: "INV01",
      });
    }
  });
});

describe("PATCH of a host with a credential that is limited to an address", () => {
  test("does not validate assignments that it does not contain", async () => {
    const { organization_id, inside, assign, send, assignments } = scene;
    const key = await mintKey(organization_id, { role: "Owner" });
    await assign([{ host_id: inside.host_id, ip_address_ids: [inside.ip_address_ids[0]] }]);
    const path = `hosts/${inside.host_id}`;
    expect(await send("PATCH", path, { name: "Renamed" }, key)).toMatchObject({ status: 200 });
    expect(await assignments()).toHaveLength(1);
    expect(await send("PATCH", path, { ip_addresses: [] }, key)).toMatchObject({ status: 200 });
    expect(await assignments()).toEqual([]);
  });

  test("validates an assignment that it contains", async () => {
    const { organization_id, inside, credential_id, assign, send, assignments } = scene;
    const key = await mintKey(organization_id, { role: "Owner" });
    await assign([{ host_id: inside.host_id, ip_address_ids: [inside.ip_address_ids[0]] }]);
    const named = { credential_id, ip_address_ids: [inside.ip_address_ids[0]] };
    expect(
      await send(
        "PATCH",
        `hosts/${inside.host_id}`,
        { ip_addresses: [], credential_assignments: [named] },
        key,
      ),
    ).toMatchObject({
      status: 400,
      body: { params: { field: "body.credential_assignments[0].ip_address_ids" } },
    });
    expect(await assignments()).toHaveLength(1);
  });
});

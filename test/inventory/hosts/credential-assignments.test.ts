import { expect, test } from "vitest";
import * as z from "zod";
import { failed, seen } from "../../helpers/answers.ts";
import { openApi } from "../../helpers/api.ts";
import { sql } from "../../helpers/database.ts";
import { mintCredential, mintHost, mintKey, mintOrganization } from "../../helpers/organization.ts";
import { changingNothing } from "../../helpers/rows.ts";

const api = openApi();
const anObject = z.object({ data: z.looseObject({}) });

async function open() {
  const organization = await mintOrganization();
  const { id, keys, networks } = organization;
  const [network] = networks;
  const credential_id = await mintCredential(id);
  const path = `/api/v1/hosts/${network.host_id}`;
  const get = (from: string) => api.send("GET", from, { key: keys.viewer });
  const put = (json: object, key = keys.admin) =>
    api.send("PUT", path, { key, json: { network_id: network.id, name: "Test", ...json } });
  /** The entity tags of the host and of the credential. */
  const etags = async () =>
    (await Promise.all([get(path), get(`/api/v1/credentials/${credential_id}`)])).map(
      ({ headers }) => headers.get("ETag"),
    );
  return { ...organization, network, credential_id, path, get, put, etags };
}

test("assigns credentials to a host, and both records contain the assignment", async () => {
  const { network, credential_id, get, put, etags } = await open();
  const { host_id, ip_address_ids } = network;
  for (const addresses of [
    null,
    [ip_address_ids[0]],
    [...ip_address_ids],
    [ip_address_ids[1]],
    null,
  ]) {
    const before = await etags();
    const ip_address_ids = addresses?.toSorted() ?? null;
    expect(
      await put({ credential_assignments: [{ credential_id, ip_address_ids: addresses }] }),
    ).toMatchObject({
      status: 200,
      body: { data: { credential_assignments: [{ credential_id, ip_address_ids }] } },
    });
    expect(await get(`/api/v1/credentials/${credential_id}`)).toMatchObject({
      body: { data: { host_assignments: [{ host_id, ip_address_ids }] } },
    });
    const after = await etags();
    expect(after[0]).not.toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
  }
  expect(await put({ credential_assignments: [] })).toMatchObject({
    body: { data: { credential_assignments: [] } },
  });
});

test("a new host can have credentials for its new addresses, alone and in bulk", async () => {
  const { keys, network, credential_id } = await open();
  const host = () => {
    const id = crypto.randomUUID();
    return {
      network_id: network.id,
      name: "New",
      ip_addresses: [{ id, ip_address: "192.0.2.50" }],
      credential_assignments: [{ credential_id, ip_address_ids: [id] }],
    };
  };
  const [one, two, three] = [host(), host(), host()];
  const create = (path: string, json: unknown) =>
    api.send("POST", `/api/v1/hosts${path}`, { key: keys.admin, json });
  const assignmentsOf = ({ credential_assignments }: ReturnType<typeof host>) => ({
    credential_assignments,
  });
  expect(await create("", one)).toMatchObject({ status: 201, body: { data: assignmentsOf(one) } });
  expect(await create("/bulk", [two, three])).toMatchObject({
    status: 201,
    body: { data: [assignmentsOf(two), assignmentsOf(three)] },
  });
});

test("a change needs the role Admin, but a Member can send assignments back unchanged", async () => {
  const { id, keys, network, credential_id, path, get, put, etags } = await open();
  const sent = [{ credential_id, ip_address_ids: [network.ip_address_ids[0]] }];
  const denied = failed("auth_permission_denied", { required_role: "Admin", role: "Member" });
  const refuse = async (credential_assignments: object[]) =>
    seen(await changingNothing(id, () => put({ credential_assignments }, keys.member)));
  expect(await refuse(sent)).toEqual(denied);
  expect(await put({ credential_assignments: sent })).toMatchObject({ status: 200 });
  expect(await refuse([])).toEqual(denied);
  expect(await refuse([{ credential_id }])).toEqual(denied);
  expect(await refuse([{ credential_id, ip_address_ids: [network.ip_address_ids[1]] }])).toEqual(
    denied,
  );
  const [, before] = await etags();
  const { data } = anObject.parse((await get(path)).body);
  expect(await put(data, keys.member)).toMatchObject({ status: 200 });
  expect(await put({ name: "Renamed" }, keys.member)).toMatchObject({
    status: 200,
    body: { data: { credential_assignments: sent } },
  });
  expect((await etags())[1]).toBe(before);
});

test("a limited key can change only assignments of credentials within its networks", async () => {
  const { id, networks, network, credential_id, put, path, get } = await open();
  const key = await mintKey(id, { role: "Admin" }, [network.id]);
  await sql`insert into credential_networks (organization_id, credential_id, network_id)
    values (${id}, ${credential_id}, ${networks[1].id})`;
  const refuse = () => put({ credential_assignments: [{ credential_id }] }, key);
  expect(seen(await changingNothing(id, refuse))).toEqual(failed("auth_scope_denied"));
  // An assignment by another caller can be sent back, but not removed.
  expect(await put({ credential_assignments: [{ credential_id }] })).toMatchObject({ status: 200 });
  const { data } = anObject.parse((await get(path)).body);
  expect(await put(data, key)).toMatchObject({ status: 200 });
  const remove = () => put({ credential_assignments: [] }, key);
  expect(seen(await changingNothing(id, remove))).toEqual(failed("auth_scope_denied"));
  await sql`delete from credential_networks where credential_id = ${credential_id}`;
  expect(await remove()).toMatchObject({ status: 200 });
});

test("rejects unknown credentials, and addresses that the host will not have", async () => {
  const { id, networks, network, credential_id, put } = await open();
  const refuse = async (json: object) => seen(await changingNothing(id, () => put(json)));
  const unknown = crypto.randomUUID();
  expect(await refuse({ credential_assignments: [{ credential_id: unknown }] })).toEqual(
    failed("entity_reference_invalid", {
      entity: "Credential",
      field: "body.credential_assignments[0].credential_id",
      id: unknown,
    }),
  );
  const noAddress = (address: string) =>
    failed("entity_reference_invalid", {
      entity: "IPAddress",
      field: "body.credential_assignments[0].ip_address_ids",
      id: address,
    });
  const limitedTo = (address: string) => [{ credential_id, ip_address_ids: [address] }];
  const foreign = networks[1].ip_address_ids[0];
  expect(await refuse({ credential_assignments: limitedTo(foreign) })).toEqual(noAddress(foreign));
  const [own] = network.ip_address_ids;
  expect(await refuse({ credential_assignments: limitedTo(own), ip_addresses: [] })).toEqual(
    noAddress(own),
  );
  expect(
    await refuse({ credential_assignments: [{ credential_id, ip_address_ids: [] }] }),
  ).toMatchObject({
    status: 400,
    body: { code: "validation_failed" },
  });
});

test("a credential has at most 1,000 hosts and 1,000 addresses, even when assigned through hosts", async () => {
  const { id, network, credential_id, put, keys } = await open();
  const more = (count: number) => sql`
    with added as (
      insert into hosts (organization_id, network_id, name)
      select ${id}, ${network.id}, 'Many' from generate_series(1, ${count}::int)
      returning id)
    insert into credential_hosts (organization_id, credential_id, host_id, is_limited_to_addresses)
    select ${id}, ${credential_id}, id, false from added`;
  await more(999);
  const assigned = { credential_assignments: [{ credential_id }] };
  expect(await put(assigned)).toMatchObject({ status: 200 });
  expect(await put(assigned)).toMatchObject({ status: 200 });
  const create = () =>
    api.send("POST", "/api/v1/hosts", {
      key: keys.admin,
      json: { network_id: network.id, name: "One more", ...assigned },
    });
  const tooMany = failed("validation_failed", {
    issue_count: 1,
    issues: [
      {
        path: "body.credential_assignments",
        code: "too_big",
        message: expect.stringContaining("more than 1000 hosts or 1000 addresses"),
      },
    ],
  });
  expect(seen(await changingNothing(id, create))).toEqual(tooMany);
  const limited = await mintCredential(id);
  const limit = async (host: { host_id: string }, from: number) => {
    const ip_addresses = Array.from({ length: 1000 - from }, (_, at) => ({
      id: crypto.randomUUID(),
      ip_address: `10.${from % 256}.${at >> 8}.${at & 255}`,
    }));
    return api.send("PUT", `/api/v1/hosts/${host.host_id}`, {
      key: keys.admin,
      json: {
        network_id: network.id,
        name: "Many",
        ip_addresses,
        credential_assignments: [
          { credential_id: limited, ip_address_ids: ip_addresses.map((one) => one.id) },
        ],
      },
    });
  };
  expect(await limit(network, 0)).toMatchObject({ status: 200 });
  const second = await mintHost(id, network.id);
  expect(seen(await changingNothing(id, () => limit(second, 999)))).toEqual(tooMany);
});

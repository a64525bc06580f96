import { describe, expect, inject, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { updateOf } from "../helpers/credentials.ts";
import { enter, refusalOf, sql } from "../helpers/database.ts";
import { mintCredential, mintOrganization, type Organization } from "../helpers/organization.ts";
import { hold } from "./held.ts";
import { describeRace, type Race } from "./race.ts";

const api = openApi();

/**
 * Two credentials, each assigned to one host, exchange their hosts at the same time. Returns an
 * error or null for each.
 */
type Exchange = (
  organization: Organization,
  credentials: readonly [string, string],
) => readonly Promise<string | null>[];

function raceOf(exchange: Exchange): Race {
  let organization: Organization | undefined;
  return {
    async round() {
      organization ??= await mintOrganization();
      const [first, second] = organization.networks;
      const credentials = [
        await mintCredential(organization.id),
        await mintCredential(organization.id),
      ] as const;
      await sql`insert into credential_hosts (organization_id, credential_id, host_id, is_limited_to_addresses)
        values (${organization.id}, ${credentials[0]}, ${first.host_id}, false),
          (${organization.id}, ${credentials[1]}, ${second.host_id}, false)`;
      const outcomes = await Promise.all(exchange(organization, credentials));
      return outcomes.filter((outcome) => outcome !== null);
    },
  };
}

const assign = async ({ id, keys }: Organization, credential: string, host_id: string) => {
  const path = `/api/v1/credentials/${credential}`;
  const json = updateOf(id, { host_assignments: [{ host_id, ip_address_ids: null }] });
  const { status, text } = await api.send("PUT", path, { key: keys.admin, json });
  return status === 200 ? null : `${status} ${text}`;
};

/** Removes the current host first, and then adds the other host. */
const naive = ({ id }: Organization, credential: string, from: string, to: string) =>
  sql
    .transaction([
      sql`delete from credential_hosts
        where organization_id = ${id} and credential_id = ${credential} and host_id = ${from}`,
      sql`select pg_sleep(0.05)`,
      sql`insert into credential_hosts (organization_id, credential_id, host_id, is_limited_to_addresses)
        values (${id}, ${credential}, ${to}, false)`,
    ])
    .then(
      () => null,
      async (error: unknown) => (await refusalOf(Promise.reject(error))).code ?? "refused",
    );

describeRace("credentials exchange their hosts without a 409", {
  design: raceOf((organization, [one, other]) => {
    const [first, second] = organization.networks;
    return [assign(organization, one, second.host_id), assign(organization, other, first.host_id)];
  }),
  naive: {
    name: "locks in the order of the writes",
    race: raceOf((organization, [one, other]) => {
      const [first, second] = organization.networks;
      return [
        naive(organization, one, first.host_id, second.host_id),
        naive(organization, other, second.host_id, first.host_id),
      ];
    }),
  },
  roundMs: 2000,
});

const bothHosts = ({ networks: [first, second] }: Organization) =>
  [first, second].map(({ host_id }) => ({ host_id, ip_address_ids: null }));

const create = async (organization: Organization) => {
  const json = updateOf(organization.id, { host_assignments: bothHosts(organization) });
  const { status, text } = await api.send("POST", "/api/v1/credentials", {
    key: organization.keys.admin,
    json,
  });
  return status === 201 ? null : `${status} ${text}`;
};

/** Lets the foreign keys lock the hosts before the trigger changes them. */
const naiveCreation = ({ id, networks: [first, second] }: Organization) => {
  const credential = crypto.randomUUID();
  return sql
    .transaction([
      sql`insert into credentials (organization_id, id, name, settings)
        values (${id}, ${credential}, 'Test', '{"type": "DockerSocket"}')`,
      sql`insert into credential_hosts (organization_id, credential_id, host_id, is_limited_to_addresses)
        select ${id}, ${credential}, unnest(array[${first.host_id}, ${second.host_id}]::uuid[]), false`,
    ])
    .then(
      () => null,
      async (error: unknown) => (await refusalOf(Promise.reject(error))).code ?? "refused",
    );
};

describeRace("credentials are created for the same hosts without a 409", {
  design: raceOf((organization, [one]) => [
    create(organization),
    create(organization),
    create(organization),
    assign(organization, one, organization.networks[1].host_id),
  ]),
  naive: {
    name: "no locks before the foreign key locks",
    race: raceOf((organization) => [
      naiveCreation(organization),
      naiveCreation(organization),
      naiveCreation(organization),
    ]),
  },
  roundMs: 2000,
});

describe.skipIf(!inject("isRealPostgres"))("credentials with the same networks and tags", () => {
  test("can be changed concurrently if their networks and tags stay the same", async () => {
    const organization = await mintOrganization();
    const { id, keys, networks, tags } = organization;
    const [held, changed] = [await mintCredential(id), await mintCredential(id)];
    const sets = { tags: [...tags], assigned_network_ids: [networks[0].id, networks[1].id] };
    const put = async (credential: string, name: string) =>
      (
        await api.send("PUT", `/api/v1/credentials/${credential}`, {
          key: keys.admin,
          json: updateOf(id, { name, ...sets }),
        })
      ).status;
    expect([await put(held, "Held"), await put(changed, "Changed")]).toEqual([200, 200]);
    const locks = await hold([
      enter(keys.admin),
      sql`select app.lock_replaced_credential(${held}, ${tags}::uuid[],
        ${sets.assigned_network_ids}::uuid[], '[]')`,
    ]);
    expect(await put(changed, "Changed again")).toBe(200);
    await locks.commit();
  });
});

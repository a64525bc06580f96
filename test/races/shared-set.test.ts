import { openApi } from "../helpers/api.ts";
import { updateOf } from "../helpers/credentials.ts";
import { refusalOf, sql } from "../helpers/database.ts";
import { mintCredential, mintOrganization, type Organization } from "../helpers/organization.ts";
import { describeRace, type Race } from "./race.ts";

interface Records {
  organization: Organization;
  credential: string;
  networks: readonly [string, string];
}

/** Changes one side of a set. Returns an error or null. */
type Contender = (records: Records) => Promise<string | null>;

/**
 * Changes a credential and one of its networks at the same time, and thereby changes a set that
 * belongs to both.
 */
function raceOf(contenders: readonly Contender[]): Race {
  let organization: Organization | undefined;
  let rounds = 0;
  return {
    async round() {
      organization ??= await mintOrganization();
      const credential = await mintCredential(organization.id);
      const [first, second] = organization.networks;
      await sql`insert into credential_networks
        values (${organization.id}, ${credential}, ${first.id})`;
      const records = { organization, credential, networks: [first.id, second.id] } as const;
      rounds++;
      const order = rounds % 2 === 0 ? contenders : contenders.toReversed();
      const outcomes = await Promise.all(order.map((contend) => contend(records)));
      return outcomes.filter((outcome) => outcome !== null);
    },
  };
}

const api = openApi();

const put =
  (of: (records: Records) => { path: string; json: unknown }): Contender =>
  async (records) => {
    const { path, json } = of(records);
    const key = records.organization.keys.admin;
    const { status, text } = await api.send("PUT", path, { key, json });
    return status === 200 ? null : `${path}: ${status} ${text}`;
  };

const assign = put(({ credential, organization }) => ({
  path: "/api/v1/tags/assign",
  json: { entity_type: "Credential", entity_id: credential, tag_ids: organization.tags },
}));

/** Locks one record, then writes the other. */
const naive =
  (order: "credential first" | "network first"): Contender =>
  async ({ organization: { id }, credential, networks: [network] }) => {
    const writes = [
      sql`update credentials set name = name where organization_id = ${id} and id = ${credential}`,
      sql`update networks set name = name where organization_id = ${id} and id = ${network}`,
    ];
    const both = sql.transaction(order === "network first" ? writes.reverse() : writes);
    return both.then(
      () => null,
      async (error: unknown) => (await refusalOf(Promise.reject(error))).code ?? "refused",
    );
  };

describeRace("all sides of a set can be changed at once without a 409", {
  design: raceOf([
    put(({ organization, credential, networks: [, second] }) => ({
      path: `/api/v1/credentials/${credential}`,
      json: updateOf(organization.id, { assigned_network_ids: [second] }),
    })),
    put(({ organization, credential, networks: [first] }) => ({
      path: `/api/v1/networks/${first}`,
      json: { name: "First", organization_id: organization.id, credential_ids: [credential] },
    })),
    assign,
    assign,
  ]),
  naive: {
    name: "locks in different orders",
    race: raceOf([naive("credential first"), naive("network first")]),
  },
});

import { beforeAll, expect, inject, test } from "vitest";
import { credentialNetworks, interfaces, subnets } from "../../src/database/tables/index.ts";
import { openApi } from "../helpers/api.ts";
import { database } from "../helpers/database.ts";
import { mintCredential, mintKey } from "../helpers/organization.ts";
import type { Place, Request } from "../helpers/place.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
  type Records,
} from "../helpers/populated-organization.ts";
import { changingNothing } from "../helpers/rows.ts";
import { mintToken } from "../helpers/tokens.ts";
import { places } from "./places.ts";

let own: PopulatedOrganization;
let other: PopulatedOrganization;

beforeAll(async () => {
  own = await mintPopulatedOrganization();
  other = await mintPopulatedOrganization();
});

/** An unknown id for each collection. */
const unknownRecords = (): Records => ({
  ...own.records,
  ...Object.fromEntries(Object.keys(own.records).map((name) => [name, crypto.randomUUID()])),
});

/**
 * Fields that differ between responses: the request id, the sealed cursor, and the end of a diff.
 */
const varyingFields = /"(request_id|next_cursor|to)":"[^"]*"/g;

/** Sends a request, and returns the response with the sent ids replaced by their names. */
async function answerTo({ method, path, json }: Request, sent: Records, key: string) {
  if (path.endsWith("/rotate")) {
    // For a key that is not cached, sealing for its organization would take an additional call.
    await openApi().send("GET", "/api/v1/auth/whoami", { key });
  }
  const api = openApi();
  const answer = await api.send(method, path, { key, json });
  // A patch reads the record before it writes it, and a webhook test reads the secret. A bulk patch
  // of records with children reads them again after the change.
  const isTwice = (method === "PATCH" || path.endsWith("/test")) && answer.status === 200;
  const isInParts = /(hosts|services)\/bulk$/.test(path);
  expect(await api.calls()).toBe(isTwice ? (isInParts ? 3 : 2) : 1);
  const text = Object.entries(sent).reduce(
    (replaced, [name, id]) => replaced.replaceAll(id, name),
    answer.text.replaceAll(varyingFields, ""),
  );
  const headers = [...answer.headers].filter(([name]) => name !== "x-request-id");
  return { answer, comparable: { status: answer.status, text, headers } };
}

/** Creates what callers authenticate with: a key that can access these networks, or a token. */
const bearers = {
  key: (networks?: string[]) => mintKey(own.id, { role: "Owner" }, networks),
  token: (networks?: string[]) => mintToken(own.keys.owner, { network_ids: networks ?? null }),
} as const;

/** True in `npm run test:long`, which runs only the cases that `npm test` omits. */
const isLong = inject("isLong");

/** Places with a key, and with a token: `npm test` runs only some of them with a token. */
function bearerPlaces(some: readonly Place[]) {
  const withToken = some
    // Tokens cannot change keys, whatever the request.
    .filter(({ name }) => !name.includes("auth/keys"))
    .map((place) => ({ ...place, bearer: "token" as const }));
  const withKey = some.map((place) => ({ ...place, bearer: "key" as const }));
  return isLong ? withToken.slice(15) : [...withKey, ...withToken.slice(0, 15)];
}

test.each(bearerPlaces(places))(
  "$name: another organization's id is treated like an unknown id from a $bearer",
  async ({ request, expected, bearer }) => {
    const answers: unknown[] = [];
    const key = await bearers[bearer]();
    const sendBoth = async () => {
      for (const sent of [other.records, unknownRecords()]) {
        const { answer, comparable } = await answerTo(request(own.records, sent, own), sent, key);
        expect(answer).toMatchObject(expected);
        answers.push(comparable);
      }
    };
    await changingNothing(own.id, () => changingNothing(other.id, sendBoth, []));
    expect(answers[0]).toEqual(answers[1]);
  },
);

/** Creates an interface with a new number on a host. */
async function mintInterface(
  organization_id: string,
  host: { network_id: string; host_id: string },
): Promise<string> {
  const id = crypto.randomUUID();
  const if_index = 1 + Math.floor(Math.random() * 1_000_000_000);
  await database.insert(interfaces).values({ ...host, organization_id, id, if_index });
  return id;
}

/** Creates a subnet with a new block on a network. */
async function mintSubnet(organization_id: string, network_id: string): Promise<string> {
  const id = crypto.randomUUID();
  const cidr = `2001:db8:${id.slice(0, 4)}:${id.slice(4, 8)}::/64`;
  await database.insert(subnets).values({ organization_id, network_id, id, name: cidr, cidr });
  return id;
}

/** Creates a credential that a key limited to the network may change. */
async function mintAssigned(organization_id: string, network_id: string): Promise<string> {
  const credential_id = await mintCredential(organization_id);
  await database.insert(credentialNetworks).values({ organization_id, credential_id, network_id });
  return credential_id;
}

test.each(bearerPlaces(places.filter(({ isInNetwork }) => isInNetwork)))(
  "$name: an id in a network outside the list of a $bearer is treated like an unknown id",
  async ({ request, expected, bearer }) => {
    const key = await bearers[bearer]([own.networks[1].id]);
    const [, { id, host_id, port_id, service_id, ip_address_ids }] = own.networks;
    const reachable = {
      ...own.records,
      // The other credential is also assigned outside the key's networks, so every change to it is
      // rejected.
      credentials: await mintAssigned(own.id, id),
      networks: id,
      hosts: host_id,
      ports: port_id,
      services: service_id,
      "ip-addresses": ip_address_ids[0],
      interfaces: await mintInterface(own.id, { network_id: id, host_id }),
      subnets: await mintSubnet(own.id, id),
    };
    const answers: unknown[] = [];
    await changingNothing(own.id, async () => {
      for (const sent of [own.records, unknownRecords()]) {
        const { answer, comparable } = await answerTo(request(reachable, sent, own), sent, key);
        expect(answer).toMatchObject(expected);
        answers.push(comparable);
      }
    });
    expect(answers[0]).toEqual(answers[1]);
  },
);

const ownPlaces = isLong ? [] : places;

test.each(ownPlaces)("$name: the caller's own id is accepted", async ({ name, request }) => {
  const isRead = request(own.records, own.records, own).method === "GET";
  const caller = isRead ? own : await mintPopulatedOrganization();
  const { records, tags, networks, network } = caller;
  // If the request already contains one of the caller's ids, the same id would be a duplicate.
  const sent = name.includes("beside")
    ? {
        ...records,
        tags: tags[1],
        networks: networks[1].id,
        "ip-addresses": network.ip_address_ids[1],
      }
    : records;
  const { answer } = await answerTo(request(records, sent, caller), sent, caller.keys.owner);
  expect([200, 201]).toContain(answer.status);
  expect(answer.text).not.toMatch(/"(data|items)":\[\]/);
});

import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { updateOf } from "../helpers/credentials.ts";
import { sql } from "../helpers/database.ts";
import { inventoryCollections } from "../helpers/inventory.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";
import { etagOf } from "../helpers/records.ts";

const collections = [
  "networks",
  "tags",
  "credentials",
  "daemons",
  ...inventoryCollections,
] as const;

/**
 * Returns the entity tag of one record in each of the organization's collections. Deleted records
 * are omitted.
 */
async function etagsOf({ keys, records }: PopulatedOrganization) {
  const etags: Record<string, string> = {};
  for (const collection of collections) {
    const path = `/api/v1/${collection}/${records[collection]}`;
    const answer = await openApi().send("GET", path, { key: keys.viewer });
    if (answer.status !== 404) {
      etags[collection] = etagOf(answer);
    }
  }
  return etags;
}

type Act = (organization: PopulatedOrganization) => Promise<unknown>;

/** Returns a function that sends a request, which must succeed. */
const request =
  (method: string, path: string, json: (organization: PopulatedOrganization) => unknown): Act =>
  async (organization) => {
    const { records, keys } = organization;
    const to = path.replace(
      /\{(\w+)\}/,
      (_, name) => new Map(Object.entries(records)).get(name) ?? "",
    );
    const options = { key: keys.owner, json: json(organization) };
    const answer = await openApi().send(method, `/api/v1${to}`, options);
    expect(answer).toMatchObject({ body: { success: true } });
  };

const nothing = () => undefined;
const tagging = (
  entity_type: string,
  entity_id: (records: PopulatedOrganization["records"]) => string,
) =>
  request("PUT", "/tags/assign", ({ records }) => ({
    entity_type,
    entity_id: entity_id(records),
    tag_ids: [],
  }));

/** The changes, and the records whose representations they change. A deleted record has no tag. */
const changes: [string, Act, string[]][] = [
  [
    "renaming a network",
    request("PUT", "/networks/{networks}", ({ records }) => ({
      name: "After",
      tags: [records.tags],
      credential_ids: [records.credentials],
    })),
    ["networks"],
  ],
  [
    "removing all tags and credentials from a network",
    request("PUT", "/networks/{networks}", () => ({ name: "Test" })),
    ["networks", "credentials"],
  ],
  ["renaming a tag", request("PUT", "/tags/{tags}", () => ({ name: "After" })), ["tags"]],
  [
    "removing all assignments from a credential",
    request("PUT", "/credentials/{credentials}", ({ id }) => updateOf(id)),
    ["networks", "credentials", "hosts"],
  ],
  [
    "replacing a credential that keeps its network",
    request("PUT", "/credentials/{credentials}", ({ id, records }) =>
      updateOf(id, { assigned_network_ids: [records.networks] }),
    ),
    ["credentials", "hosts"],
  ],
  [
    "creating a credential for the network",
    request("POST", "/credentials", ({ id, records }) =>
      updateOf(id, { assigned_network_ids: [records.networks] }),
    ),
    ["networks"],
  ],
  [
    "creating several credentials for the network",
    request("POST", "/credentials/bulk", ({ id, records }) => [
      updateOf(id, { assigned_network_ids: [records.networks] }),
    ]),
    ["networks"],
  ],
  [
    "creating a network with the credential",
    request("POST", "/networks", ({ records }) => ({
      name: "New",
      credential_ids: [records.credentials],
      tags: [records.tags],
    })),
    ["credentials"],
  ],
  [
    "deleting a tag",
    request("DELETE", "/tags/{tags}", nothing),
    ["networks", "credentials", "daemons", "hosts", "services", "subnets"],
  ],
  [
    "deleting several tags",
    request("POST", "/tags/bulk-delete", ({ tags }) => tags),
    ["networks", "credentials", "daemons", "hosts", "services", "subnets"],
  ],
  [
    "deleting a credential",
    request("DELETE", "/credentials/{credentials}", nothing),
    ["networks", "hosts"],
  ],
  [
    "deleting several credentials",
    request("POST", "/credentials/bulk-delete", ({ records }) => [records.credentials]),
    ["networks", "hosts"],
  ],
  [
    "deleting the network with its records",
    request("DELETE", "/networks/{networks}?cascade=true", nothing),
    ["credentials"],
  ],
  [
    "deleting a host",
    ({ records }) => sql`delete from hosts where id = ${records.hosts}`,
    ["credentials"],
  ],
  [
    "deleting an address",
    ({ ip_address_id }) => sql`delete from ip_addresses where id = ${ip_address_id}`,
    ["credentials", "hosts", "interfaces", "services"],
  ],
  [
    "deleting a subnet",
    request("DELETE", "/subnets/{subnets}", nothing),
    ["hosts", "ip-addresses"],
  ],
  ["deleting a binding", request("DELETE", "/bindings/{bindings}", nothing), ["hosts", "services"]],
  [
    "renaming a host",
    request("PUT", "/hosts/{hosts}", ({ records }) => ({
      network_id: records.networks,
      name: "After",
      tags: [records.tags],
    })),
    ["hosts"],
  ],
  [
    "removing all tags from a network",
    tagging("Network", ({ networks }) => networks),
    ["networks"],
  ],
  ["removing all tags from a daemon", tagging("Daemon", ({ daemons }) => daemons), ["daemons"]],
  [
    "removing all tags from a credential",
    tagging("Credential", ({ credentials }) => credentials),
    ["credentials"],
  ],
  [
    "adding a tag to credentials",
    request("POST", "/tags/assign/bulk-add", ({ records, tags }) => ({
      entity_type: "Credential",
      entity_ids: [records.credentials],
      tag_id: tags[1],
    })),
    ["credentials"],
  ],
  [
    "adding a tag that the network already has",
    request("POST", "/tags/assign/bulk-add", ({ records }) => ({
      entity_type: "Network",
      entity_ids: [records.networks],
      tag_id: records.tags,
    })),
    [],
  ],
  [
    "removing a tag that the network does not have",
    request("POST", "/tags/assign/bulk-remove", ({ records, tags }) => ({
      entity_type: "Network",
      entity_ids: [records.networks],
      tag_id: tags[1],
    })),
    [],
  ],
  [
    "assigning the same tags to the network",
    request("PUT", "/tags/assign", ({ records }) => ({
      entity_type: "Network",
      entity_id: records.networks,
      tag_ids: [records.tags],
    })),
    [],
  ],
  ["creating a tag", request("POST", "/tags", () => ({ name: "New" })), []],
  ["deleting another tag", ({ tags }) => sql`delete from tags where id = ${tags[1]}`, []],
  [
    "deleting another host",
    ({ networks }) => sql`delete from hosts where id = ${networks[1].host_id}`,
    [],
  ],
  ["listing the records", request("GET", "/networks?limit=0", nothing), []],
];

test.each(changes)(
  "%s changes the entity tags of exactly the records that it affects",
  async (_, act, expected) => {
    const organization = await mintPopulatedOrganization();
    const other = await mintPopulatedOrganization();
    const before = await etagsOf(organization);
    const ofOther = await etagsOf(other);
    await act(organization);
    const after = await etagsOf(organization);
    const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
    expect(changed.sort()).toEqual(expected.toSorted());
    expect(await etagsOf(other)).toEqual(ofOther);
  },
);

test.each(collections)("a page of %s contains the entity tag of each record", async (name) => {
  const { keys, records } = await mintPopulatedOrganization();
  const api = openApi();
  const get = (path: string) => api.send("GET", `/api/v1/${name}${path}`, { key: keys.viewer });
  const etag = etagOf(await get(`/${records[name]}`));
  expect(await get(`?ids=${records[name]}`)).toMatchObject({ body: { meta: { etags: [etag] } } });
});

test("a page of past records has no entity tags", async () => {
  const { keys } = await mintPopulatedOrganization();
  const at = new Date().toISOString();
  for (const name of inventoryCollections) {
    const answer = await openApi().send("GET", `/api/v1/${name}?at=${at}`, { key: keys.viewer });
    expect(answer).not.toHaveProperty("body.meta.etags");
  }
});

test("clients may cache only individual records and pages", async () => {
  const { keys, records } = await mintPopulatedOrganization();
  const api = openApi();
  const path = `/api/v1/tags/${records.tags}`;
  const cacheOf = async (method: string, to: string, json?: unknown) =>
    (await api.send(method, to, { key: keys.owner, json })).headers.get("cache-control");
  expect(await cacheOf("GET", path)).toBe("private, no-cache");
  expect(await cacheOf("GET", "/api/v1/tags")).toBe("private, no-cache");
  expect(await cacheOf("GET", "/api/v1/audit")).toBe("no-store");
  expect(await cacheOf("PUT", path, { name: "After" })).toBe("no-store");
  expect(await cacheOf("POST", `/api/v1/auth/keys/${records["auth/keys"]}/rotate`)).toBe(
    "no-store",
  );
});

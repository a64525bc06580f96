import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import {
  credentialIn,
  inline,
  masked,
  putCredential,
  readCredential,
  updateOf,
} from "../helpers/credentials.ts";
import { sql } from "../helpers/database.ts";
import { mintCredential, mintHost, mintOrganization } from "../helpers/organization.ts";

const tables = [
  "credential_secrets",
  "credential_tags",
  "credential_networks",
  "credential_hosts",
  "credential_host_ip_addresses",
];

/**
 * The stored rows with their row versions, by table. A row that is written again has a new
 * version.
 */
async function storedRows(credentialId: string): Promise<Record<string, string[]>> {
  const answers = await sql.transaction(
    tables.map((table) =>
      sql.query(
        `select concat_ws(' ', ctid, xmin, to_jsonb(record)) as row from ${table} as record
         where credential_id = $1 order by 1`,
        [credentialId],
      ),
    ),
  );
  return Object.fromEntries(
    tables.map((table, position) => [
      table,
      answers[position]?.map(({ row }) => String(row)) ?? [],
    ]),
  );
}

async function openCredential() {
  const api = openApi();
  const { id: organization_id, keys, networks, tags } = await mintOrganization();
  const [first, second] = networks;
  const third = await mintHost(organization_id, first.id);
  const id = await mintCredential(organization_id);
  const stored = updateOf(organization_id, {
    tags: [...tags].sort(),
    assigned_network_ids: [first.id, second.id].sort(),
    host_assignments: [
      { host_id: first.host_id, ip_address_ids: [...first.ip_address_ids].sort() },
      { host_id: second.host_id, ip_address_ids: null },
    ].sort((one, other) => (one.host_id < other.host_id ? -1 : 1)),
    credential_type: { type: "SnmpV1", community: inline("public-1") },
  });
  const put = (changes: Record<string, unknown> = {}) =>
    putCredential(api, keys.admin, id, {
      ...stored,
      credential_type: { type: "SnmpV1", community: masked },
      ...changes,
    });
  credentialIn(await putCredential(api, keys.admin, id, stored));
  const read = () => readCredential(api, keys.viewer, id);
  return { id, put, read, first, second, third, tags };
}

test("an update that does not change a set does not write any of the sets' rows", async () => {
  const { id, put } = await openCredential();
  const before = await storedRows(id);
  expect(Object.values(before).every((rows) => rows.length > 0)).toBe(true);
  credentialIn(await put({ name: "Renamed" }));
  expect(await storedRows(id)).toEqual(before);
});

test("an update writes only removed and added rows", async () => {
  const { id, put, first, second, third, tags } = await openCredential();
  const before = await storedRows(id);
  const changes = {
    tags: [tags[1]],
    assigned_network_ids: [first.id],
    host_assignments: [
      { host_id: first.host_id, ip_address_ids: [first.ip_address_ids[1]] },
      { host_id: second.host_id, ip_address_ids: null },
      { host_id: third.host_id, ip_address_ids: null },
    ].sort((one, other) => (one.host_id < other.host_id ? -1 : 1)),
  };
  expect(credentialIn(await put(changes))).toMatchObject(changes);
  const after = await storedRows(id);
  const news = tables.map((table) => [
    table,
    after[table]?.filter((row) => !before[table]?.includes(row)).length,
  ]);
  expect(Object.fromEntries(news)).toEqual({
    credential_secrets: 0,
    credential_tags: 0,
    credential_networks: 0,
    credential_hosts: 1,
    credential_host_ip_addresses: 0,
  });
});

/** Every form in which a host can be assigned, before and after an update. */
const forms = {
  "not at all": () => [],
  "as a whole": (host_id: string) => [{ host_id, ip_address_ids: null }],
  "by its first address": (host_id: string, [one = ""]: string[]) => [
    { host_id, ip_address_ids: [one] },
  ],
  "by its second address": (host_id: string, [, other = ""]: string[]) => [
    { host_id, ip_address_ids: [other] },
  ],
  "by both addresses": (host_id: string, both: string[]) => [{ host_id, ip_address_ids: both }],
};

test("an update can change an assignment from any form to any other", async () => {
  const { put, read, first } = await openCredential();
  const addresses = [...first.ip_address_ids].sort();
  for (const from of Object.values(forms)) {
    for (const to of Object.values(forms)) {
      for (const form of [from, to]) {
        const host_assignments = form(first.host_id, addresses);
        const written = credentialIn(await put({ host_assignments }));
        expect(written.host_assignments).toEqual(host_assignments);
        expect(await read()).toEqual(written);
      }
    }
  }
});

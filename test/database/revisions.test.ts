import { describe, expect, inject, test } from "vitest";
import { enter, sql } from "../helpers/database.ts";
import { mintCredential, mintOrganization } from "../helpers/organization.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";

type Ids = PopulatedOrganization;

/** A record's revision and `updated_at`. */
async function stateOf(table: string, organizationId: string, id: string) {
  const [row] = await sql.query(
    `select revision::int, (extract(epoch from updated_at) * 1000)::float8 as updated_at from ${table}
     where id = $2 and ${table === "organizations" ? "id" : "organization_id"} = $1`,
    [organizationId, id],
  );
  return { revision: Number(row?.["revision"]), updatedAt: Number(row?.["updated_at"]) };
}

const recordIds: Record<string, (ids: Ids) => string> = {
  organizations: ({ id }) => id,
  networks: ({ network }) => network.id,
  tags: ({ tags }) => tags[0],
  credentials: ({ credential_id }) => credential_id,
  daemons: ({ daemon_id }) => daemon_id,
  user_api_keys: ({ limited_key_id }) => limited_key_id,
};

/** Visible changes: the change, its statement, and the records whose responses change. */
const changes: [string, (ids: Ids) => string, string[]][] = [
  [
    "changing an organization's name",
    ({ id }) => `update organizations set name = 'New' where id = '${id}'`,
    ["organizations"],
  ],
  ["changing a network's name", () => "update networks set name = 'New'", ["networks"]],
  [
    "changing a network's description",
    () => "update networks set description = 'New'",
    ["networks"],
  ],
  ["changing a tag's color", () => "update tags set color = 'Red'", ["tags"]],
  ["changing a credential's name", () => "update credentials set name = 'New'", ["credentials"]],
  ["changing a daemon's name", () => "update daemons set name = 'New'", ["daemons"]],
  ["changing a key's role", () => "update user_api_keys set role = 'Member'", ["user_api_keys"]],
  [
    "adding a tag to a credential",
    ({ id, credential_id, tags }) =>
      `insert into credential_tags values ('${id}', '${credential_id}', '${tags[1]}')`,
    ["credentials"],
  ],
  ["removing a tag from a credential", () => "delete from credential_tags", ["credentials"]],
  [
    "replacing a tag of a credential",
    ({ tags }) => `update credential_tags set tag_id = '${tags[1]}'`,
    ["credentials"],
  ],
  [
    "adding a network to a credential",
    ({ id, credential_id, networks }) =>
      `insert into credential_networks values ('${id}', '${credential_id}', '${networks[1].id}')`,
    ["credentials"],
  ],
  [
    "removing a network from a credential",
    () => "delete from credential_networks",
    ["credentials", "networks"],
  ],
  ["removing a host from a credential", () => "delete from credential_hosts", ["credentials"]],
  [
    "removing an address from a credential",
    () => "delete from credential_host_ip_addresses",
    ["credentials"],
  ],
  [
    "adding an address to a credential",
    ({ id, credential_id, network }) =>
      `insert into credential_host_ip_addresses values ('${id}', '${credential_id}', '${network.host_id}', '${network.ip_address_ids[1]}')`,
    ["credentials"],
  ],
  ["removing a tag from a network", () => "delete from network_tags", ["networks"]],
  ["removing a tag from a daemon", () => "delete from daemon_tags", ["daemons"]],
  ["removing a network from a key", () => "delete from user_api_key_networks", ["user_api_keys"]],
  [
    "deleting a tag",
    ({ tags }) => `delete from tags where id = '${tags[0]}'`,
    ["credentials", "networks", "daemons"],
  ],
  ["deleting a host", () => "delete from hosts", ["credentials"]],
  ["deleting an address", () => "delete from ip_addresses where valid_to is null", ["credentials"]],
  [
    "deleting a network",
    ({ network }) => `delete from networks where id = '${network.id}'`,
    ["credentials", "user_api_keys"],
  ],
  ["deleting a credential", () => "delete from credentials", ["networks"]],
];

/** Restricts a statement to one organization's records. */
const within = (statement: string, organizationId: string) =>
  /^(update|delete)/.test(statement) && !statement.includes(organizationId)
    ? `${statement} ${statement.includes(" where ") ? "and" : "where"} organization_id = '${organizationId}'`
    : statement;

test.each(changes)(
  "%s updates the revision and updated_at only for records whose responses change",
  async (_, change, changed) => {
    const own = await mintPopulatedOrganization();
    const other = await mintPopulatedOrganization();
    const statesOf = async (ids: Ids) =>
      Object.fromEntries(
        await Promise.all(
          Object.entries(recordIds).map(
            async ([table, idOf]) => [table, await stateOf(table, ids.id, idOf(ids))] as const,
          ),
        ),
      );
    const before = await statesOf(own);
    const ofOther = await statesOf(other);
    await sql.query(within(change(own), own.id));
    const after = await statesOf(own);
    for (const [table, { revision, updatedAt }] of Object.entries(before)) {
      const now = after[table];
      if (changed.includes(table)) {
        expect(now?.revision, table).toBe(revision + 1);
        expect(now?.updatedAt, table).toBeGreaterThan(updatedAt);
      } else if (!Number.isNaN(now?.revision)) {
        expect(now, table).toEqual({ revision, updatedAt });
      }
    }
    expect(await statesOf(other)).toEqual(ofOther);
  },
);

test("changes to several sets in one transaction increment the revision once, and a new record keeps its first revision", async () => {
  const { id, networks, tags } = await mintOrganization();
  const credential = crypto.randomUUID();
  const rows = await sql.transaction([
    sql`insert into credentials (organization_id, id, name, settings)
      values (${id}, ${credential}, 'New', '{"type": "DockerSocket"}')`,
    sql`insert into credential_tags values (${id}, ${credential}, ${tags[0]})`,
    sql`insert into credential_networks values (${id}, ${credential}, ${networks[0].id})`,
    sql`select revision::int, created_at = updated_at as is_new from credentials where id = ${credential}`,
  ]);
  expect(rows.at(-1)).toEqual([{ revision: 1, is_new: true }]);
  await sql.transaction([
    sql`delete from credential_tags where credential_id = ${credential}`,
    sql`delete from credential_networks where credential_id = ${credential}`,
  ]);
  expect((await stateOf("credentials", id, credential)).revision).toBe(2);
});

test("using a key does not increment its revision, but changing its networks in the same request does", async () => {
  const { id, networks, keys } = await mintOrganization();
  const [row] = await sql`
    select api_key_id as id from user_api_key_secrets
    where key_hash = sha256(convert_to(${keys.owner}, 'UTF8'))`;
  const key = String(row?.["id"]);
  await sql.transaction([enter(keys.owner)]);
  expect((await stateOf("user_api_keys", id, key)).revision).toBe(1);
  await sql`update user_api_keys set last_used_at = null where id = ${key}`;
  await sql.transaction([
    enter(keys.owner),
    sql`insert into user_api_key_networks values (${id}, ${key}, ${networks[0].id})`,
  ]);
  expect((await stateOf("user_api_keys", id, key)).revision).toBe(2);
});

test.each([
  ["the time when the daemon was last seen", "last_seen_at = now()"],
  ["its version", "version = '0.15.0'"],
  ["invisible columns", "lease_expires_at = null, poll_generation = poll_generation + 1"],
])("a poll that changes %s does not change the revision or updated_at", async (_, assignment) => {
  const { id, daemon_id } = await mintPopulatedOrganization();
  const before = await stateOf("daemons", id, daemon_id);
  await sql.transaction([
    sql`set local role inventory_poller`,
    sql.query(`update daemons set ${assignment} where id = '${daemon_id}'`),
  ]);
  expect(await stateOf("daemons", id, daemon_id)).toEqual(before);
});

test("an organization is deleted with all its records, including sets", async () => {
  const { id } = await mintPopulatedOrganization();
  await sql`delete from organizations where id = ${id}`;
  expect(await sql`select from networks where organization_id = ${id}`).toEqual([]);
});

test("an entity tag is strong, and differs for each revision and each creation time", async () => {
  const tag = async (createdAt: string, revision: number) => {
    const [row] = await sql`select app.etag(${createdAt}, ${revision}) as etag`;
    return String(row?.["etag"]);
  };
  const tags = [
    await tag("2026-01-02T03:04:05.678Z", 1),
    await tag("2026-01-02T03:04:05.678Z", 2),
    await tag("2026-01-02T03:04:05.679Z", 1),
    await tag("2026-01-02T03:04:05.678Z", Number.MAX_SAFE_INTEGER),
  ];
  expect(new Set(tags).size).toBe(tags.length);
  for (const etag of tags) {
    // RFC 9110, section 8.8.3.
    expect(etag).toMatch(/^"[\x21\x23-\x7e]+"$/);
  }
});

// PGlite has one connection, so its writers run one after the other. Set TEST_DATABASE_URL to run
// this test.
describe.skipIf(!inject("isRealPostgres"))("with eight concurrent writers", () => {
  test("every change to a set increments the revision, and locks taken in a fixed order do not deadlock", {
    timeout: 60_000,
  }, async () => {
    const { id, keys, networks } = await mintOrganization();
    const credentials = [await mintCredential(id), await mintCredential(id)];
    const [first, second] = [networks[0].id, networks[1].id];
    const before = await stateOf("networks", id, first);
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        const credential = credentials[writer % 2];
        for (let round = 0; round < 5; round++) {
          const [from, to] = round % 2 === 0 ? [first, second] : [second, first];
          await sql.transaction([
            enter(keys.admin),
            sql`select app.lock_records(credential_ids => ${[credential]}::uuid[], network_ids => ${[first, second]}::uuid[])`,
            sql`delete from credential_networks where credential_id = ${credential} and network_id = ${to}`,
            sql`insert into credential_networks values (${id}, ${credential}, ${from}) on conflict do nothing`,
          ]);
        }
      }),
    );
    expect((await stateOf("networks", id, first)).revision).toBeGreaterThan(before.revision);
  });
});

import { describe, expect, inject, test } from "vitest";
import { enter, sql } from "../helpers/database.ts";
import { mintCredential, mintOrganization } from "../helpers/organization.ts";
import {
  mintPopulatedOrganization,
  type PopulatedOrganization,
} from "../helpers/populated-organization.ts";

type Ids = PopulatedOrganization;

/** The revision and the updated_at of a record, in one row. */
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

/** Visible changes: the statement, and the records whose responses change. */
const changes: [string, (ids: Ids) => string, string[]][] = [
  [
    "an organization's name",
    ({ id }) => `update organizations set name = 'New' where id = '${id}'`,
    ["organizations"],
  ],
  ["a network's name", () => "update networks set name = 'New'", ["networks"]],
  ["a network's description", () => "update networks set description = 'New'", ["networks"]],
  ["a tag's color", () => "update tags set color = 'Red'", ["tags"]],
  ["a credential's name", () => "update credentials set name = 'New'", ["credentials"]],
  ["a daemon's name", () => "update daemons set name = 'New'", ["daemons"]],
  ["a key's role", () => "update user_api_keys set role = 'Member'", ["user_api_keys"]],
  [
    "an added tag of a credential",
    ({ id, credential_id, tags }) =>
      `insert into credential_tags values ('${id}', '${credential_id}', '${tags[1]}')`,
    ["credentials"],
  ],
  ["a removed tag of a credential", () => "delete from credential_tags", ["credentials"]],
  [
    "a replaced tag of a credential",
    ({ tags }) => `update credential_tags set tag_id = '${tags[1]}'`,
    ["credentials"],
  ],
  [
    "an added network of a credential",
    ({ id, credential_id, networks }) =>
      `insert into credential_networks values ('${id}', '${credential_id}', '${networks[1].id}')`,
    ["credentials"],
  ],
  [
    "a removed network of a credential",
    () => "delete from credential_networks",
    ["credentials", "networks"],
  ],
  ["a removed host of a credential", () => "delete from credential_hosts", ["credentials"]],
  [
    "a removed address of a credential",
    () => "delete from credential_host_ip_addresses",
    ["credentials"],
  ],
  [
    "an added address of a credential",
    ({ id, credential_id, network }) =>
      `insert into credential_host_ip_addresses values ('${id}', '${credential_id}', '${network.host_id}', '${network.ip_address_ids[1]}')`,
    ["credentials"],
  ],
  ["a removed tag of a network", () => "delete from network_tags", ["networks"]],
  ["a removed tag of a daemon", () => "delete from daemon_tags", ["daemons"]],
  ["a removed network of a key", () => "delete from user_api_key_networks", ["user_api_keys"]],
  [
    "a deleted tag",
    ({ tags }) => `delete from tags where id = '${tags[0]}'`,
    ["credentials", "networks", "daemons"],
  ],
  ["a deleted host", () => "delete from hosts", ["credentials"]],
  ["a deleted address", () => "delete from ip_addresses where valid_to is null", ["credentials"]],
  [
    "a deleted network",
    ({ network }) => `delete from networks where id = '${network.id}'`,
    ["credentials", "user_api_keys"],
  ],
  ["a deleted credential", () => "delete from credentials", ["networks"]],
];

/** Restricts a statement to the records of an organization. */
const within = (statement: string, organizationId: string) =>
  /^(update|delete)/.test(statement) && !statement.includes(organizationId)
    ? `${statement} ${statement.includes(" where ") ? "and" : "where"} organization_id = '${organizationId}'`
    : statement;

test.each(changes)(
  "%s increments the revision and updated_at only of records whose responses change",
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

test("changes of several sets in one transaction increment the revision, and a new record keeps its first one", async () => {
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

test("the use of a key does not increment its revision, but a change of its set in the same request does", async () => {
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
  ["a daemon's last sighting", "last_seen_at = now()"],
  ["its version", "version = '0.15.0'"],
  ["invisible columns", "lease_expires_at = null, poll_generation = poll_generation + 1"],
])("a poll that changes %s does not change the revision and updated_at", async (_, assignment) => {
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

test("an entity tag is strong, and different for each revision and each creation", async () => {
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
    // RFC 9110, 8.8.3
    expect(etag).toMatch(/^"[\x21\x23-\x7e]+"$/);
  }
});

// PGlite has one connection, so its writers run one after the other. Set TEST_DATABASE_URL.
describe.skipIf(!inject("isRealPostgres"))("with eight concurrent writers", () => {
  test("no change of a set is missing in the revision, and locks in a fixed order do not deadlock", {
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

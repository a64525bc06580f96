import { expect, test } from "vitest";
import { versionsOf } from "../helpers/binding-versions.ts";
import { refusalOf, sql } from "../helpers/database.ts";
import { mintBinding, mintNetwork, mintOrganization } from "../helpers/organization.ts";

const restrictViolation = { code: "23001" };
const january = "2026-01-01T00:00:00.000Z";
const february = "2026-02-01T00:00:00.000Z";
const march = "2026-03-01T00:00:00.000Z";

/** A closed version that was valid in January, and a live version that starts in February. */
async function mintVersions() {
  const { id: organizationId, networks } = await mintOrganization();
  const [network] = networks;
  const created_at = january;
  const live = await mintBinding(organizationId, network, { created_at, valid_from: february });
  const closed = await mintBinding(organizationId, network, {
    created_at,
    valid_from: january,
    valid_to: february,
    lineage_id: live,
  });
  return { organizationId, network, live, closed };
}

/** Inserts a closed version of a binding. */
async function insertVersion(
  { organizationId, network, live }: Awaited<ReturnType<typeof mintVersions>>,
  [from, to]: readonly [string, string],
) {
  return sql`
    insert into bindings (organization_id, network_id, type, service_id, port_id, valid_from,
      valid_to, lineage_id)
    values (${organizationId}, ${network.id}, 'Port', ${network.service_id}, ${network.port_id},
      ${from}, ${to}, ${live})`;
}

test.each([
  ["the same interval", [january, february]],
  ["a part of a closed version", ["2026-01-10T00:00:00Z", "2026-01-11T00:00:00Z"]],
  ["the last millisecond of a closed version", ["2026-01-31T23:59:59.999Z", february]],
  ["the first millisecond of the live version", [february, "2026-02-01T00:00:00.001Z"]],
  ["the whole history", ["2025-01-01T00:00:00Z", march]],
] as const)("rejects a version that overlaps other versions: %s", async (_, interval) => {
  const versions = await mintVersions();
  const before = await versionsOf(versions.live);
  expect(await refusalOf(insertVersion(versions, interval))).toEqual({
    code: "23P01",
    constraint: "bindings_one_version_at_a_time",
  });
  expect(await versionsOf(versions.live)).toEqual(before);
});

test("accepts a version that ends where the next one starts", async () => {
  const versions = await mintVersions();
  await insertVersion(versions, ["2025-12-01T00:00:00.000Z", january]);
  expect(await versionsOf(versions.live)).toHaveLength(3);
});

test("versions of different bindings may overlap", async () => {
  const versions = await mintVersions();
  await insertVersion({ ...versions, live: crypto.randomUUID() }, [january, march]);
  expect(await versionsOf(versions.live)).toHaveLength(2);
});

test.each([
  ["its target", "ip_address_id = null, port_id = gen_random_uuid()"],
  ["its last sighting", "last_seen_at = now()"],
  ["its end", "valid_to = now()"],
  ["its closure", "valid_to = null, lineage_id = null"],
  ["no changed value", "id = id"],
])("rejects a change to a closed version: %s", async (_, assignment) => {
  const { live, closed } = await mintVersions();
  const before = await versionsOf(live);
  const change = sql.query(`update bindings set ${assignment} where id = $1`, [closed]);
  expect(await refusalOf(change)).toMatchObject(restrictViolation);
  expect(await versionsOf(live)).toEqual(before);
});

test("refuses to delete a closed version", async () => {
  const { live, closed } = await mintVersions();
  const before = await versionsOf(live);
  expect(await refusalOf(sql`delete from bindings where id = ${closed}`)).toMatchObject(
    restrictViolation,
  );
  expect(await refusalOf(sql`delete from bindings where live_id = ${live}`)).toMatchObject(
    restrictViolation,
  );
  expect(await versionsOf(live)).toEqual(before);
});

test.each([
  ["id", "id = gen_random_uuid()"],
  ["organization_id", "organization_id = gen_random_uuid()"],
  ["created_at", "created_at = created_at + interval '1 ms'"],
  ["valid_from", "valid_from = valid_from - interval '1 ms'"],
  ["valid_to", "valid_to = now()"],
  ["valid_to and lineage_id", "valid_to = now(), lineage_id = id"],
  ["lineage_id", "lineage_id = id"],
])("writers cannot change the %s of a live version", async (_, assignment) => {
  const { live } = await mintVersions();
  const before = await versionsOf(live);
  const change = sql.query(`update bindings set ${assignment} where id = $1`, [live]);
  expect(await refusalOf(change)).toMatchObject(restrictViolation);
  expect(await versionsOf(live)).toEqual(before);
});

test.each(["live_id", "live_service_id", "live_port_id", "live_ip_address_id"])(
  "writers cannot set %s",
  async (column) => {
    const { live } = await mintVersions();
    const change = sql.query(`update bindings set ${column} = gen_random_uuid() where id = $1`, [
      live,
    ]);
    expect(await refusalOf(change)).toMatchObject({ code: "428C9" });
  },
);

const lineage_id = "00000000-0000-4000-8000-000000000001";

test.each([
  ["a type that does not exist", { type: "Host", port_id: null }, "bindings_type_check"],
  ["a Port without a port", { port_id: null }, "bindings_port_check"],
  ["an IPAddress with a port", { type: "IPAddress", ip_address_id: "own" }, "bindings_port_check"],
  [
    "an IPAddress without an address",
    { type: "IPAddress", port_id: null },
    "bindings_ip_address_check",
  ],
  ["a closed version without a lineage", { valid_to: february }, "bindings_lineage_check"],
  ["a live version with a lineage", { lineage_id }, "bindings_lineage_check"],
  ["an empty interval", { valid_to: january, lineage_id }, "bindings_interval_check"],
  [
    "an interval that ends before it starts",
    { valid_to: "2025-01-01Z", lineage_id },
    "bindings_interval_check",
  ],
])("rejects %s", async (_, values, constraint) => {
  const { id: organizationId } = await mintOrganization();
  const network = await mintNetwork(organizationId);
  const row = {
    organization_id: organizationId,
    network_id: network.id,
    type: "Port",
    service_id: network.service_id,
    port_id: network.port_id,
    valid_from: january,
    ...values,
    ...("ip_address_id" in values ? { ip_address_id: network.ip_address_ids[0] } : {}),
  };
  const columns = Object.keys(row);
  const insertion = sql.query(
    `insert into bindings (${columns}) values (${columns.map((_, at) => `$${at + 1}`)})`,
    Object.values(row),
  );
  expect(await refusalOf(insertion)).toEqual({ code: "23514", constraint });
  expect(await sql`select from bindings where organization_id = ${organizationId}`).toEqual([]);
});

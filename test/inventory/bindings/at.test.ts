import { describe, expect, test } from "vitest";
import { listed } from "../../helpers/answers.ts";
import { openApi } from "../../helpers/api.ts";
import { mintBinding, mintOrganization } from "../../helpers/organization.ts";

const path = "/api/v1/bindings";
const created_at = "2026-01-01T00:00:00.000Z";

/** Creates a binding with a version in January, one in February, and a live one since March. */
async function mintHistory() {
  const { id: organizationId, keys, networks } = await mintOrganization();
  const [network] = networks;
  const [first, second] = network.ip_address_ids;
  const live = await mintBinding(organizationId, network, {
    created_at,
    valid_from: "2026-03-01T00:00:00.000Z",
  });
  const january = await mintBinding(organizationId, network, {
    created_at,
    valid_from: created_at,
    valid_to: "2026-02-01T00:00:00.000Z",
    lineage_id: live,
    ip_address_id: first,
  });
  const february = await mintBinding(organizationId, network, {
    created_at,
    valid_from: "2026-02-01T00:00:00.000Z",
    valid_to: "2026-03-01T00:00:00.000Z",
    lineage_id: live,
    ip_address_id: second,
  });
  return { organizationId, network, key: keys.viewer, live, january, february, first, second };
}

describe.each([50, 0])("with limit=%i", (limit) => {
  test.each([
    ["before the first version", "2025-12-31T23:59:59.999Z", null],
    ["at the exact valid_from of the first version", "2026-01-01T00:00:00.000Z", "january"],
    ["within a version", "2026-01-15T12:00:00Z", "january"],
    ["in the last millisecond of a version", "2026-01-31T23:59:59.999Z", "january"],
    ["at the exact valid_to, which is the next valid_from", "2026-02-01T00:00:00Z", "february"],
    ["in the last millisecond before the live version", "2026-02-28T23:59:59.999Z", "february"],
    ["at the exact valid_from of the live version", "2026-03-01T00:00:00.000Z", "live"],
    ["after the live version started", "2026-03-01T00:00:00.001Z", "live"],
    ["in the far future", "9999-12-31T23:59:59.999Z", "live"],
    ["at the earliest possible instant", "0001-01-01T00:00:00Z", null],
  ] as const)("%s", async (_, at, version) => {
    const api = openApi();
    const history = await mintHistory();
    const answer = await api.send("GET", `${path}?limit=${limit}&at=${at}`, { key: history.key });
    expect(answer).toMatchObject({
      status: 200,
      body: { meta: { pagination: { total_count: version ? 1 : 0, limit } } },
    });
    const expected = version ? [expect.objectContaining({ id: history[version] })] : [];
    expect(listed(answer.body)).toEqual(expected);
    expect(await api.calls()).toBe(1);
  });
});

test("a closed version has an id of its own, and the live id as its lineage", async () => {
  const api = openApi();
  const { key, january, live, first } = await mintHistory();
  const answer = await api.send("GET", `${path}?at=2026-01-15T00:00:00Z`, { key });
  expect(answer).toMatchObject({
    status: 200,
    body: {
      data: [
        {
          id: january,
          lineage_id: live,
          ip_address_id: first,
          created_at,
          valid_from: "2026-01-01T00:00:00.000Z",
          valid_to: "2026-02-01T00:00:00.000Z",
        },
      ],
    },
  });
});

test("lists a binding that has since been deleted, up to the instant of its deletion", async () => {
  const api = openApi();
  const { id: organizationId, keys, networks } = await mintOrganization();
  const closed = await mintBinding(organizationId, networks[0], {
    created_at,
    valid_from: created_at,
    valid_to: "2026-02-01T00:00:00.000Z",
    lineage_id: crypto.randomUUID(),
  });
  const last = await api.send("GET", `${path}?at=2026-01-31T23:59:59.999Z`, { key: keys.viewer });
  expect(last).toMatchObject({ status: 200, body: { data: [{ id: closed }] } });
  for (const query of ["?at=2026-02-01T00:00:00Z", ""]) {
    const after = await api.send("GET", path + query, { key: keys.viewer });
    expect(after).toMatchObject({ status: 200, body: { data: [] } });
  }
});

test("filters apply to the version at that instant", async () => {
  const api = openApi();
  const { key, first, second, january, february } = await mintHistory();
  for (const [ip, at, ids] of [
    [first, "2026-01-15T00:00:00Z", [january]],
    [first, "2026-02-15T00:00:00Z", []],
    [second, "2026-02-15T00:00:00Z", [february]],
    [second, "2026-03-15T00:00:00Z", []],
  ] as const) {
    const answer = await api.send("GET", `${path}?ip_address_id=${ip}&at=${at}`, { key });
    expect(answer).toMatchObject({
      status: 200,
      body: { meta: { pagination: { total_count: ids.length } } },
    });
    expect(listed(answer.body).map(({ id }) => id)).toEqual(ids);
  }
});

test("orders past versions by the live ids, not by the versions' own ids", async () => {
  const api = openApi();
  const { id: organizationId, keys, networks } = await mintOrganization();
  const lives = Array.from({ length: 6 }, () => crypto.randomUUID());
  for (const lineage_id of lives) {
    await mintBinding(organizationId, networks[0], {
      created_at,
      valid_from: created_at,
      valid_to: "2026-02-01T00:00:00.000Z",
      lineage_id,
    });
  }
  for (const limit of [50, 0]) {
    const answer = await api.send("GET", `${path}?limit=${limit}&at=2026-01-15T00:00:00Z`, {
      key: keys.viewer,
    });
    const order = lives.sort().map((lineage_id) => ({ lineage_id }));
    expect(answer).toMatchObject({ status: 200, body: { data: order } });
  }
});

test.each([
  ["UTC", "2026-02-01T00:00:00Z", "february"],
  ["an offset east of UTC", "2026-02-01T01:59:59.999%2B02:00", "january"],
  ["an offset east of UTC", "2026-02-01T02:00:00%2B02:00", "february"],
  ["an offset west of UTC", "2026-01-31T14:00:00-10:00", "february"],
  ["minutes in the offset", "2026-02-01T05:45:00%2B05:45", "february"],
  ["1 fractional digit", "2026-01-31T23:59:59.9Z", "january"],
  ["2 fractional digits", "2026-01-31T23:59:59.99Z", "january"],
  ["3 fractional digits", "2026-01-31T23:59:59.999Z", "january"],
  ["4 fractional digits", "2026-01-31T23:59:59.9999Z", "january"],
  ["5 fractional digits", "2026-01-31T23:59:59.99999Z", "january"],
  ["6 fractional digits", "2026-01-31T23:59:59.999999Z", "january"],
  ["7 fractional digits", "2026-01-31T23:59:59.9999999Z", "january"],
  ["8 fractional digits", "2026-01-31T23:59:59.99999999Z", "january"],
  ["9 fractional digits", "2026-01-31T23:59:59.999999999Z", "january"],
  ["10 fractional digits, the first of them 0", "2026-01-31T23:59:59.0999999999Z", "january"],
  ["10 fractional zeros", "2026-02-01T00:00:00.0000000000Z", "february"],
  ["64 characters", `2026-01-31T23:59:59.${"9".repeat(43)}Z`, "january"],
  ["an offset without a colon", "2026-02-01T02:00:00%2B0200", "february"],
  ["an offset without a colon, west of UTC", "2026-01-31T18:14:59.999-0545", "january"],
  ["an offset without minutes", "2026-02-01T02:00:00%2B02", "february"],
  ["an offset of zero", "2026-02-01T00:00:00%2B0000", "february"],
  ["9 fractional zeros", "2026-02-01T00:00:00.000000000Z", "february"],
  ["the leap day", "2028-02-29T00:00:00Z", "live"],
] as const)("accepts an instant with %s: %s", async (_, at, version) => {
  const api = openApi();
  const history = await mintHistory();
  const answer = await api.send("GET", `${path}?at=${at}`, { key: history.key });
  expect(answer).toMatchObject({ status: 200, body: { data: [{ id: history[version] }] } });
});

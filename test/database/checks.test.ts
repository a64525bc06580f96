import { expect, test } from "vitest";
import { refusalOf, sql } from "../helpers/database.ts";
import { mintDaemon, mintKey, mintOrganization, unreachable } from "../helpers/organization.ts";
import { rowsOf } from "../helpers/rows.ts";

const checkViolation = "23514";

/**
 * Expects a change to an organization's row, or to one of its records, to violate a check
 * constraint.
 */
async function expectRefusal(organizationId: string, change: PromiseLike<unknown>, name: string) {
  const before = await rowsOf(organizationId);
  expect(await refusalOf(change)).toEqual({ code: checkViolation, constraint: name });
  expect(await rowsOf(organizationId)).toEqual(before);
}

test.each<string[]>([
  ["with a negative number of failures", "consecutive_failures = -1", "daemons_failures_check"],
  ["that is reachable after 5 failures", "consecutive_failures = 5", "daemons_unreachable_check"],
  [
    "that is unreachable after 4 failures",
    "consecutive_failures = 4, unreachable_since = now(), next_poll_at = null",
    "daemons_unreachable_check",
  ],
  [
    "that is unreachable and due",
    "consecutive_failures = 5, unreachable_since = now()",
    "daemons_next_poll_check",
  ],
  ["that is reachable and never due", "next_poll_at = null", "daemons_next_poll_check"],
  [
    "that is unreachable and leased",
    "consecutive_failures = 5, unreachable_since = now(), next_poll_at = null, lease_expires_at = now()",
    "daemons_lease_check",
  ],
  [
    "with failures but without an error",
    "consecutive_failures = 1, last_error = null, last_error_at = null",
    "daemons_failures_have_an_error_check",
  ],
  ["with an unknown error", "last_error = 'tired'", "daemons_last_error_check"],
  ["with an error without a time", "last_error_at = null", "daemons_last_error_at_check"],
  [
    "with an HTTP status although the error is a timeout",
    "last_error_http_status = 500",
    "daemons_last_error_http_status_check",
  ],
  [
    "with a redirect without an HTTP status",
    "last_error = 'redirected'",
    "daemons_last_error_http_status_check",
  ],
  ...[99, 600, 1_215_752_191].map((status) => [
    `with the HTTP status ${status}`,
    `last_error = 'http_status', last_error_http_status = ${status}`,
    "daemons_http_status_range_check",
  ]),
  ...["\u001b", "\u0001", "\u009b", "\u200b", "\u202e", "\ufeff"].map((character) => [
    `with a version that contains the character ${character.codePointAt(0)?.toString(16)}`,
    `version = '1${character}'`,
    "daemons_version_characters_check",
  ]),
  ["with a negative generation", "poll_generation = -1", "daemons_poll_generation_check"],
  [
    "with a generation that JSON cannot represent exactly",
    "poll_generation = 9007199254740992",
    "daemons_poll_generation_check",
  ],
])("rejects a daemon %s", async (_, assignment = "", constraint = "") => {
  const { id: organizationId, networks } = await mintOrganization();
  const id = await mintDaemon(organizationId, networks[0].id, {
    last_error: "timed_out",
    last_error_at: "2026-01-02T03:04:05.678Z",
  });
  const change = sql.query(`update daemons set ${assignment} where id = $1`, [id]);
  await expectRefusal(organizationId, change, constraint);
});

test.each([100, 599])(
  "accepts a daemon with an error that has the HTTP status %i",
  async (status) => {
    const { id: organizationId, networks } = await mintOrganization();
    const id = await mintDaemon(organizationId, networks[0].id, {
      last_error: "http_status",
      last_error_http_status: status,
      last_error_at: "2026-01-02T03:04:05.678Z",
    });
    expect(await sql`select last_error_http_status from daemons where id = ${id}`).toEqual([
      { last_error_http_status: status },
    ]);
  },
);

test.each([
  ["empty", "''"],
  ["without a key's name", "'.AAAA'"],
  ["only a name", "'demo.'"],
  ["a plaintext", "'a token'"],
  ["a string of three parts", "'demo.AAAA.AAAA'"],
  ["sealed by a key whose name has 33 characters", "repeat('n', 33) || '.AAAA'"],
  ["encoded in another alphabet", "'demo.AA+/'"],
  ["followed by another line", String.raw`E'demo.AAAA\nmore'`],
])("a daemon's token cannot be %s", async (_, value) => {
  const { id: organizationId, networks } = await mintOrganization();
  const id = await mintDaemon(organizationId, networks[0].id);
  const change = sql.query(`update daemon_secrets set sealed = ${value} where daemon_id = $1`, [
    id,
  ]);
  await expectRefusal(organizationId, change, "daemon_secrets_sealed_check");
});

test("a daemon's token has at most 4,096 characters", async () => {
  const { id: organizationId, networks } = await mintOrganization();
  const id = await mintDaemon(organizationId, networks[0].id);
  const change = (length: number) => sql`
    update daemon_secrets set sealed = 'demo.' || repeat('A', ${length}::int - 5)
    where daemon_id = ${id}`;
  await change(4096);
  await expectRefusal(organizationId, change(4097), "daemon_secrets_length_check");
});

test("is_unreachable is derived, so writers cannot set it", async () => {
  const { id: organizationId, networks } = await mintOrganization();
  const id = await mintDaemon(organizationId, networks[0].id, unreachable);
  expect(
    await refusalOf(sql`update daemons set is_unreachable = false where id = ${id}`),
  ).toMatchObject({ code: "428C9" });
  expect(await sql`select is_unreachable from daemons where id = ${id}`).toEqual([
    { is_unreachable: true },
  ]);
});

const plan = {
  type: "Pro",
  base_cents: 4900,
  rate: "Month",
  trial_days: 14,
  seat_cents: null,
  network_cents: null,
  host_cents: null,
  included_seats: null,
  included_networks: null,
  included_hosts: null,
};
const { type, ...untyped } = plan;

test.each([
  ["of an unknown type", { ...plan, type: "Gold" }],
  ["of a type in another case", { ...plan, type: "pro" }],
  ["without a type", untyped],
  ["with a null type", { ...plan, type: null }],
  ["with an unknown rate", { ...plan, rate: "Week" }],
  ["with a null rate", { ...plan, rate: null }],
  ["with a price as a string", { ...plan, base_cents: "4900" }],
  ["with a seat price as a string", { ...plan, seat_cents: "1" }],
  ["with a network price as an object", { ...plan, network_cents: {} }],
  ["with a host price as a boolean", { ...plan, host_cents: false }],
  ["without trial days", { ...plan, trial_days: null }],
  ["with seats as a string", { ...plan, included_seats: "3" }],
  ["with networks as an array", { ...plan, included_networks: [3] }],
  ["with hosts as a boolean", { ...plan, included_hosts: true }],
  ["with an additional property", { ...plan, color: "blue" }],
  ["that is an array", [plan]],
  ["that is a string", "Pro"],
  ["that is JSON's null", null],
])("an organization cannot have a plan %s", async (_, value) => {
  const { id } = await mintOrganization();
  const json = JSON.stringify(value);
  await expectRefusal(
    id,
    sql`update organizations set plan = ${json}::jsonb where id = ${id}`,
    "organizations_plan_check",
  );
  await expectRefusal(
    id,
    sql`update organizations set last_downgrade_from_plan = ${json}::jsonb where id = ${id}`,
    "organizations_downgrade_check",
  );
});

test("an organization can have the plan that these tests modify, or no plan", async () => {
  const { id } = await mintOrganization();
  const json = JSON.stringify({ ...plan, type });
  await sql`update organizations set plan = ${json}::jsonb where id = ${id}`;
  expect(await sql`select plan from organizations where id = ${id}`).toEqual([{ plan }]);
  await sql`update organizations set plan = null where id = ${id}`;
  expect(await sql`select plan from organizations where id = ${id}`).toEqual([{ plan: null }]);
});

test.each([
  ["an empty name", "name = ''", "organizations_name_check"],
  ["a name of 101 characters", "name = repeat('x', 101)", "organizations_name_check"],
  ["an unknown milestone", "onboarding = '{OrgDeleted}'", "organizations_onboarding_check"],
  ["a milestone that is null", "onboarding = '{null}'", "organizations_onboarding_check"],
  [
    "a repeated milestone",
    "onboarding = '{OrgCreated,InviteSent,OrgCreated}'",
    "organizations_onboarding_once",
  ],
  ["an unknown plan status", "plan_status = 'gone'", "organizations_plan_status_check"],
  ["an unknown use case", "use_case = 'school'", "organizations_use_case_check"],
  ["-1 % off", "discount_save_offer_percent_off = -1", "organizations_percent_check"],
  ["101 % off", "discount_save_offer_percent_off = 101", "organizations_percent_check"],
])("an organization cannot have %s", async (_, assignment, constraint) => {
  const { id } = await mintOrganization();
  const change = sql.query(`update organizations set ${assignment} where id = $1`, [id]);
  await expectRefusal(id, change, constraint);
});

test.each([
  ["a hint of 3 characters", `key_hint = 'abc'`, "user_api_keys_hint_check"],
  ["a hint of 5 characters", `key_hint = 'abcde'`, "user_api_keys_hint_check"],
  ["a hint with characters outside the alphabet", `key_hint = 'ab-d'`, "user_api_keys_hint_check"],
  ["an empty name", `name = ''`, "user_api_keys_name_check"],
  ["a name of 101 characters", `name = repeat('x', 101)`, "user_api_keys_name_check"],
])("a key cannot have %s", async (_, assignment, constraint) => {
  const { id } = await mintOrganization();
  await mintKey(id, { name: "The one" });
  const change = sql.query(
    `update user_api_keys set ${assignment} where organization_id = $1 and name = 'The one'`,
    [id],
  );
  await expectRefusal(id, change, constraint);
});

test.each([
  ["the number 0", "number = 0", "ports_number_check"],
  ["the number -1", "number = -1", "ports_number_check"],
  ["the number 65536", "number = 65536", "ports_number_check"],
  ["an unknown protocol", "protocol = 'Sctp'", "ports_protocol_check"],
  ["a protocol in another case", "protocol = 'tcp'", "ports_protocol_check"],
])("a port cannot have %s", async (_, assignment, constraint) => {
  const { id, networks } = await mintOrganization();
  const change = sql.query(`update ports set ${assignment} where id = $1`, [networks[0].port_id]);
  await expectRefusal(id, change, constraint);
});

test.each([1, 65535])("a port can have the number %i", async (number) => {
  const { networks } = await mintOrganization();
  const [row] = await sql`
    update ports set number = ${number} where id = ${networks[0].port_id} returning number`;
  expect(row).toEqual({ number });
});

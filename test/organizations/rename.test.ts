import { expect, test } from "vitest";
import { openApi } from "../helpers/api.ts";
import { sql } from "../helpers/database.ts";
import { mintOrganization } from "../helpers/organization.ts";

test("the owner can rename the organization", async () => {
  const api = openApi();
  const { id, keys } = await mintOrganization({ name: "Before" });
  const answer = await api.send("PUT", `/api/v1/organizations/${id}`, {
    key: keys.owner,
    json: "  After  ",
  });
  expect(answer).toMatchObject({
    status: 200,
    body: { success: true, data: { id, name: "After" } },
  });
  expect(await api.calls()).toBe(1);
});

test("a rename changes only name, updated_at and revision", async () => {
  const api = openApi();
  const past = "2025-01-02T03:04:05.678Z";
  const { id, keys } = await mintOrganization({
    name: "Before",
    created_at: past,
    updated_at: past,
    onboarding: ["OrgCreated", "PlanSelected"],
    plan_status: "paused",
    discount_save_offer_active_until: past,
    discount_save_offer_percent_off: 20,
    has_payment_method: true,
    last_discount_at: past,
    last_downgrade_at: past,
    last_paused_at: past,
    next_renewal_at: past,
    trial_end_date: past,
    trial_extended_used: true,
    use_case: "msp",
  });
  const whole = sql`select to_jsonb(o) as row from organizations as o where id = ${id}`;
  const [before] = await whole;
  const answer = await api.send("PUT", `/api/v1/organizations/${id}`, {
    key: keys.owner,
    json: "After",
  });
  expect(answer).toMatchObject({ status: 200, body: { data: { created_at: past } } });
  const [after] = await sql`select to_jsonb(o) as row from organizations as o where id = ${id}`;
  const { updated_at } = after?.["row"] ?? {};
  expect(after?.["row"]).toEqual({
    ...before?.["row"],
    name: "After",
    updated_at,
    revision: before?.["row"].revision + 1,
  });
  const [passed] =
    await sql`select ${updated_at}::timestamptz between ${past} and now() as is_past`;
  expect(passed).toEqual({ is_past: true });
  expect(answer).toMatchObject({ body: { data: { updated_at: new Date(updated_at).toJSON() } } });
});

test.each([
  ["one character", "A", "A"],
  ["100 characters", "x".repeat(100), "x".repeat(100)],
  ["100 characters outside the basic plane", "😀".repeat(100), "😀".repeat(100)],
  ["100 characters within blanks", ` \t${"x".repeat(100)}\n `, "x".repeat(100)],
  ["quotes, backslashes and line breaks", 'A "b" \\ \n c', 'A "b" \\ \n c'],
  ["SQL", "'; drop table organizations; --", "'; drop table organizations; --"],
  ["an object", { name: "Acme" }, "Acme"],
  ["an object with 100 characters", { name: "x".repeat(100) }, "x".repeat(100)],
  ["an object with blanks around the name", { name: " \tAcme\n " }, "Acme"],
])("accepts a name of %s", async (_, sent, stored) => {
  const api = openApi();
  const { id, keys } = await mintOrganization();
  const answer = await api.send("PUT", `/api/v1/organizations/${id}`, {
    key: keys.owner,
    json: sent,
  });
  expect(answer).toMatchObject({ status: 200, body: { data: { name: stored } } });
  expect(await sql`select name from organizations where id = ${id}`).toEqual([{ name: stored }]);
});

test("accepts an id in upper case", async () => {
  const api = openApi();
  const { id, keys } = await mintOrganization();
  const answer = await api.send("PUT", `/api/v1/organizations/${id.toUpperCase()}`, {
    key: keys.owner,
    json: "After",
  });
  expect(answer).toMatchObject({ status: 200, body: { data: { id, name: "After" } } });
});

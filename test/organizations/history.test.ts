import { expect, test } from "vitest";
import { failed, invalidAt, seen } from "../helpers/answers.ts";
import { openApi } from "../helpers/api.ts";
import { sql } from "../helpers/database.ts";
import { mintOrganization } from "../helpers/organization.ts";

/** Creates an organization, and returns a function that sets its history_days as the owner. */
async function open() {
  const organization = await mintOrganization();
  const send = (json: unknown, id = organization.id, headers = {}) =>
    openApi().send("PUT", `/api/v1/organizations/${id}/history`, {
      key: organization.keys.owner,
      headers,
      json,
    });
  return { organization, send };
}

test.each([1, 400, 3650, null])("the owner can keep history for %s days", async (history_days) => {
  const { organization, send } = await open();
  const answer = await send({ history_days });
  expect(answer).toMatchObject({
    status: 200,
    body: { data: { id: organization.id, history_days, history_from: null } },
  });
  const read = await openApi().send("GET", "/api/v1/organizations", {
    key: organization.keys.viewer,
  });
  expect(read).toMatchObject({ body: { data: { history_days } } });
  expect(read.headers.get("etag")).toBe(answer.headers.get("etag"));
});

test.each([
  [{ history_days: 0 }, "body.history_days"],
  [{ history_days: 3651 }, "body.history_days"],
  [{ history_days: 1.5 }, "body.history_days"],
  [{ history_days: "30" }, "body.history_days"],
  [{}, "body.history_days"],
  [{ history_days: 30, history_from: null }, "body.history_from"],
])("rejects %j", async (json, path) => {
  const { send } = await open();
  expect(seen(await send(json))).toEqual(invalidAt(path));
});

test("If-Match prevents a change unless the organization has that entity tag", async () => {
  const { organization, send } = await open();
  const ifMatch = (tag: string) => ({ "If-Match": tag });
  const tag = (await send({ history_days: 30 })).headers.get("etag") ?? "";
  const changed = await send({ history_days: 60 }, organization.id, ifMatch(tag));
  expect(changed.status).toBe(200);
  expect(seen(await send({ history_days: 1 }, organization.id, ifMatch(tag)))).toEqual(
    failed("precondition_failed", { etag: changed.headers.get("etag") }),
  );
  expect(await sql`select history_days from organizations where id = ${organization.id}`).toEqual([
    { history_days: 60 },
  ]);
});

test("returns 404 for another organization", async () => {
  const { send } = await open();
  const other = await mintOrganization();
  for (const id of [other.id, crypto.randomUUID()]) {
    expect(seen(await send({ history_days: 1 }, id))).toEqual(
      failed("entity_not_found", { entity: "Organization", id }),
    );
  }
  expect(await sql`select history_days from organizations where id = ${other.id}`).toEqual([
    { history_days: null },
  ]);
});

test("the audit log contains changes to history_days, but no other changes to the organization", async () => {
  const { organization, send } = await open();
  await send({ history_days: 30 });
  await send({ history_days: 30 });
  // As the scheduled job does.
  await sql`update organizations set history_from = now() where id = ${organization.id}`;
  expect(
    await sql`
      select action, entity_id, changed from audit_entries
      where organization_id = ${organization.id} and entity = 'Organization'`,
  ).toEqual([{ action: "updated", entity_id: organization.id, changed: ["history_days"] }]);
});

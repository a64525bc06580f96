import { expect, test } from "vitest";
import { failed, invalidAt, seen } from "../helpers/answers.ts";
import { sql } from "../helpers/database.ts";
import { mintDaemon, mintKey } from "../helpers/organization.ts";
import { openAudit } from "./helpers.ts";

test("pages of any size add up to the whole log, newest first", async () => {
  const { organization, page, done } = await openAudit();
  for (const name of ["a", "b", "c"]) {
    await done("POST", "tags", { name });
  }
  const rows = await sql`select id from audit_entries where organization_id = ${organization.id}
    order by at desc, id desc`;
  for (const limit of ["1", "3", "1000"]) {
    const ids: unknown[] = [];
    let query: Record<string, string> = { limit };
    for (let has_more = true; has_more; ) {
      const { data, meta } = await page(query);
      ids.push(...data.map(({ id }) => id));
      query = { limit, cursor: meta.next_cursor };
      has_more = meta.has_more;
    }
    expect(ids).toEqual(rows.map(({ id }) => id));
    expect(await page(query)).toMatchObject({ data: [], meta: { has_more: false } });
  }
});

test("filters by kind, record or actor, and rejects combinations of these filters", async () => {
  const { page, send, done } = await openAudit();
  const { id } = await done("POST", "tags", { name: "a" });
  const { data } = await page({ entity_id: id });
  expect(data).toHaveLength(1);
  const actor_id = data[0]?.actor.id ?? "";
  expect((await page({ actor_id })).data).toEqual(data);
  const answer = await send("GET", "audit?entity=Tag&entity=Network&limit=4");
  const kinds = (answer.body as { data: { entity: string }[] }).data.map(({ entity }) => entity);
  expect(kinds).toHaveLength(4);
  expect(new Set(kinds)).toEqual(new Set(["Tag", "Network"]));
  expect((await page({ entity: "Daemon" })).data).toEqual([]);
  for (const query of [`entity=Tag&entity_id=${id}`, `entity=Tag&actor_id=${actor_id}`]) {
    expect(seen(await send("GET", `audit?${query}`))).toEqual(
      invalidAt(`query.${query.split("&")[1]?.split("=")[0]}`),
    );
  }
});

test("rejects a cursor from another list or organization", async () => {
  const { page, send } = await openAudit();
  const other = await openAudit();
  const foreign = (await other.page()).meta.next_cursor;
  const changes = await send("GET", "changes");
  const ofChanges = (changes.body as { meta: { next_cursor: string } }).meta.next_cursor;
  for (const cursor of [foreign, ofChanges, "now", (await page()).meta.next_cursor.slice(1)]) {
    expect(seen(await send("GET", `audit?${new URLSearchParams({ cursor })}`))).toEqual(
      invalidAt("query.cursor"),
    );
  }
});

test("requires an Admin, and shows a network-limited key only the entries for its networks and their daemons", async () => {
  const { organization, page, send } = await openAudit();
  const [network, other] = organization.networks;
  const [daemon, hidden] = [
    await mintDaemon(organization.id, network.id),
    await mintDaemon(organization.id, other.id),
  ];
  const limited = await mintKey(organization.id, { role: "Admin" }, [network.id]);
  const { data } = await page({ limit: "1000" }, limited);
  expect(data.map(({ entity_id }) => entity_id)).toEqual([daemon, network.id]);
  expect((await page({ entity_id: hidden }, limited)).data).toEqual([]);
  expect((await page({ entity: "Daemon" })).data).toHaveLength(2);
  expect(seen(await send("GET", "audit", undefined, organization.keys.member))).toEqual(
    failed("auth_permission_denied", { required_role: "Admin", role: "Member" }),
  );
});

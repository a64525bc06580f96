import { expect, test } from "vitest";
import { hostDetails } from "../../src/database/tables/index.ts";
import { unclaimedDefinitions } from "../../src/discovery/report.ts";
import { sql } from "../helpers/database.ts";

test("the database reads from a host exactly the details that its table lists", async () => {
  const [{ details } = { details: [] }] = await sql`
    select array(select jsonb_object_keys(app.details_of(null::hosts))) as details`;
  expect(details.toSorted()).toEqual(hostDetails.toSorted());
});

test("the database takes for unclaimed exactly the definitions that a report takes for it", async () => {
  const definitions = [...unclaimedDefinitions, "SSH", "Unclaimed", "open ports"];
  const unclaimed = await sql`
    select definition from unnest(${definitions}::text[]) as definition
    where app.is_unclaimed(definition)`;
  expect(unclaimed.map(({ definition }) => definition)).toEqual([...unclaimedDefinitions]);
});

import { expect, test } from "vitest";
import { failed, seen } from "../helpers/answers.ts";
import { updateOf } from "../helpers/credentials.ts";
import { sql } from "../helpers/database.ts";
import { openOwners } from "../helpers/own-data.ts";
import { hold } from "./held.ts";

/** Waits until this number of sessions waits for a row or a transaction. */
const waiting = (count: number) =>
  expect
    .poll(
      () => sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
      { timeout: 10_000 },
    )
    .toHaveLength(count);

test("an upsert whose record is deleted and then created by others gets 409 request_conflict", async () => {
  const { organization, send } = await openOwners();
  const [tag] = organization.tags;
  const credential = (values: Record<string, unknown>) => updateOf(organization.id, values);
  const holdTag = () => hold([sql`select from tags where id = ${tag} for update`]);
  const created = await send("POST", "credentials", credential({ external_id: "one" }));
  const first = await holdTag();
  const upserting = send("PUT", "credentials/by-external-id/one", credential({ tags: [tag] }));
  await waiting(1);
  await send("DELETE", `credentials/${Object(created.body).data.id}`);
  // The upsert finds that its record is gone, and waits a second time, to create it.
  const holding = holdTag();
  await waiting(2);
  await first.commit();
  const second = await holding;
  await waiting(1);
  const other = await send("POST", "credentials", credential({ external_id: "one" }));
  expect(other).toMatchObject({ status: 201 });
  await second.commit();
  expect(seen(await upserting)).toEqual(failed("request_conflict"));
});

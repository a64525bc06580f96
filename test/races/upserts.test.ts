import { expect, test } from "vitest";
import { failed, seen } from "../helpers/answers.ts";
import type { Answer } from "../helpers/api.ts";
import { updateOf } from "../helpers/credentials.ts";
import { sql } from "../helpers/database.ts";
import { type Owners, openOwners } from "../helpers/own-data.ts";
import { hold } from "./held.ts";
import { historyFaults } from "./history-faults.ts";
import { atOnce, describeRace, type Race } from "./race.ts";

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

const external_id = "one";

/** Creates or replaces the record with the external id. */
type Upsert = (opened: Owners, collection: string, json: object) => Promise<Answer>;

/**
 * Upserts with one external id: first alone, and then while others delete the record and import a
 * host with this external id.
 */
function raceOf(collection: "hosts" | "tags", upsert: Upsert): Race {
  return {
    async round() {
      const opened = await openOwners();
      const { send, network_id, organization } = opened;
      const body = { name: "Record", ...(collection === "hosts" && { network_id }) };
      const upsertMany = (count: number) =>
        atOnce(count, (number) =>
          upsert(opened, collection, { ...body, metadata: { number: `${number}` } }),
        );
      const find = async () => {
        const { body: list } = await send("GET", `${collection}?external_id=${external_id}`);
        return Object(list).data.map(({ id }: { id: string }) => id);
      };
      const remove = async () => {
        const [id = crypto.randomUUID()] = await find();
        return send("DELETE", `${collection}/${id}`);
      };
      const takeHost = () =>
        send("POST", `networks/${network_id}/imports`, {
          hosts: [{ external_id, name: "Imported", addresses: [{ ip_address: "10.0.0.1" }] }],
        });
      const alone = await upsertMany(4);
      const [mixed, deletions, imports] = await Promise.all([
        upsertMany(4),
        atOnce(2, remove),
        atOnce(collection === "hosts" ? 1 : 0, takeHost),
      ]);
      const upserted = [...alone, ...mixed];
      const created = upserted.filter(({ status }) => status === 201);
      const ids = new Set(created.map(({ body: sent }) => Object(sent).data.id));
      const isCreatedAlone = alone.filter(({ status }) => status === 201).length === 1;
      // An import omits an external id that another request takes in the meantime, and reports it.
      const imported = imports.filter(({ body: result }) => {
        const [host] = Object(result).data?.hosts ?? [];
        return host?.outcome === "created" && host.issues.length === 0;
      });
      const [stored] =
        collection === "hosts"
          ? await sql`select count(distinct live_id)::int as records from hosts
              where organization_id = ${organization.id} and external_id = ${external_id}`
          : await sql`select count(*)::int - 2 as records from audit_entries
              where organization_id = ${organization.id} and entity = 'Tag' and action = 'created'`;
      const wrong = ({ status, body: sent }: Answer, ...expected: number[]) =>
        !expected.includes(status) && Object(sent).code !== "request_conflict";
      return [
        ...(isCreatedAlone ? [] : ["not exactly one 201"]),
        ...upserted.filter((answer) => wrong(answer, 200, 201)).map(({ text }) => text),
        ...deletions.filter((answer) => wrong(answer, 200, 404)).map(({ text }) => text),
        ...imports.filter((answer) => wrong(answer, 200)).map(({ text }) => text),
        ...(ids.size === created.length ? [] : ["a record was created twice"]),
        ...(stored?.["records"] === ids.size + imported.length
          ? []
          : [`${stored?.["records"]} records after ${ids.size} + ${imported.length} creations`]),
        ...((await find()).length <= 1 ? [] : ["two live records"]),
        ...(await historyFaults(opened, organization.id)),
      ];
    },
  };
}

for (const collection of ["hosts", "tags"] as const) {
  describeRace(
    `of ${collection} with one external id, upserts create one at a time, also while others delete and import it`,
    {
      design: raceOf(collection, ({ send }, path, json) =>
        send("PUT", `${path}/by-external-id/${external_id}`, json),
      ),
      naive: {
        name: "a search before the create or the replacement",
        race: raceOf(collection, async ({ send }, path, json) => {
          const { body } = await send("GET", `${path}?external_id=${external_id}`);
          const [stored] = Object(body).data;
          return stored
            ? send("PUT", `${path}/${stored.id}`, { ...json, external_id })
            : send("POST", path, { ...json, external_id });
        }),
      },
      roundMs: 2500,
      every: 4,
    },
  );
}

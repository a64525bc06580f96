import { neon, neonConfig } from "@neondatabase/serverless";
import { sql as drizzleSql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/neon-http";
import { beforeAll, expect, it } from "vitest";
import { startLocalDatabase } from "../../../drizzle/local/server.ts";
import { describeLocalDatabase } from "../helpers/local-databases.ts";

describeLocalDatabase("a batch", (subject) => {
  beforeAll(() =>
    subject.sql.transaction((sql) => [
      sql`create table entries (id int primary key)`,
      sql`create table children (
        id int primary key, parent int references entries deferrable initially deferred)`,
    ]),
  );
  const entries = async () =>
    (await subject.sql`select id from entries order by id`).map((r) => r["id"]);

  it("is one transaction: a statement sees the settings of earlier ones", async () => {
    const answer = await subject.sql.transaction((sql) => [
      sql`select set_config('app.asker', 'me', true)`,
      sql`select current_setting('app.asker') as asker, pg_current_xact_id()::text as transaction`,
      sql`select pg_current_xact_id()::text as transaction`,
    ]);
    expect(answer[1]?.[0]).toMatchObject({
      asker: "me",
      transaction: answer[2]?.[0]?.["transaction"],
    });
  });

  it("does not leave settings behind for later requests", async () => {
    await subject.sql.transaction((sql) => [sql`select set_config('app.trace', 'mine', true)`]);
    expect(await subject.sql`select current_setting('app.trace', true) as trace`).toEqual([
      { trace: "" },
    ]);
  });

  it("has no effect if one of its statements fails", async () => {
    await expect(
      subject.sql.transaction((sql) => [
        sql`insert into entries values (1)`,
        sql`insert into entries values (1)`,
        sql`insert into entries values (2)`,
      ]),
    ).rejects.toMatchObject({ code: "23505" });
    expect(await entries()).toEqual([]);
  });

  it("has no effect if a deferred constraint fails at commit", async () => {
    await expect(
      subject.sql.transaction((sql) => [
        sql`insert into entries values (3)`,
        sql`insert into children values (1, 99)`,
      ]),
    ).rejects.toMatchObject({ code: "23503", constraint: "children_parent_fkey" });
    expect(await entries()).toEqual([]);
  });

  it("with options is rejected, since the service does not use any", async () => {
    for (const options of [
      { isolationLevel: "Serializable" },
      { readOnly: true },
      { deferrable: true },
    ] as const) {
      await expect(subject.sql.transaction([subject.sql`select 1`], options)).rejects.toThrow(
        "options of transactions are not supported",
      );
    }
  });

  it("without statements returns no results", async () => {
    expect(await subject.sql.transaction([])).toEqual([]);
  });

  it("from Drizzle returns results in order", async () => {
    const database = drizzle({ client: subject.sql });
    const [first, second] = await database.batch([
      database.execute(drizzleSql`select 1 as a`),
      database.execute(drizzleSql`select ${"x"}::text as b`),
    ]);
    expect([first.rows, second.rows]).toEqual([[{ a: 1 }], [{ b: "x" }]]);
  });

  it("is isolated from fifty concurrent batches", async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        subject.sql.transaction((sql) => [
          sql`select set_config('app.index', ${String(index)}, true)`,
          sql`select ${index}::int as sent, current_setting('app.index') as set`,
        ]),
      ),
    );
    expect(answers.map((answer) => answer[1]?.[0])).toEqual(
      answers.map((_, index) => ({ sent: index, set: String(index) })),
    );
  });
});

describeLocalDatabase("a single statement", (subject) => {
  it("cannot leave a transaction open for the next caller", async () => {
    await subject.sql`begin`;
    const transaction = async () =>
      (await subject.sql`select pg_current_xact_id()::text as id`)[0]?.["id"];
    expect(await transaction()).not.toBe(await transaction());
  });

  it("that fails in a transaction on a borrowed connection is rolled back", async () => {
    await expect(
      subject.database.withClient(async (client) => {
        await client.query("begin");
        await client.query("create table never (id int)");
        throw new Error("the borrower failed");
      }),
    ).rejects.toThrow("the borrower failed");
    expect(await subject.sql`select to_regclass('never') as found`).toEqual([{ found: null }]);
  });
});

it("a batch of n statements takes 2n + 2 round trips", async () => {
  const database = await startLocalDatabase({ roundTripMs: 50 });
  neonConfig.fetchEndpoint = database.endpoint;
  const sql = neon(database.connectionString);
  await sql.transaction([sql`select 1`]);
  const began = performance.now();
  await sql.transaction([sql`select 1`, sql`select 2`, sql`select 3`]);
  const took = performance.now() - began;
  expect(took).toBeGreaterThanOrEqual(8 * 50 - 5);
  expect(took).toBeLessThan(12 * 50);
  await database.close();
});

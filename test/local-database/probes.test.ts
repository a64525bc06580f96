import { neon, neonConfig } from "@neondatabase/serverless";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocalDatabase, startLocalDatabase } from "../../drizzle/local/server.ts";
import { withProbes } from "./probes.ts";

describe("a probe", () => {
  let database: LocalDatabase;
  beforeAll(async () => {
    database = await startLocalDatabase({ wrap: withProbes });
    neonConfig.fetchEndpoint = database.endpoint;
    await neon(database.connectionString)`create table effects (id int)`;
  });
  afterAll(() => database.close());

  /** A driver with its own label, and the address of its probe. */
  const labelled = () => {
    const label = crypto.randomUUID();
    const address = new URL(`/probes/${label}`, database.endpoint);
    const sql = neon(`${database.connectionString}?application_name=${label}`);
    const put = (settings: unknown) =>
      fetch(address, { method: "PUT", body: JSON.stringify(settings) });
    return { sql, put, counts: async () => (await fetch(address)).json() };
  };

  it("counts the calls with its label until faults are set", async () => {
    const { sql, put, counts } = labelled();
    const other = labelled();
    await sql`select 1`;
    await sql.transaction([sql`select 1`, sql`select 2`]);
    await sql`selekt`.catch(() => {});
    await other.sql`select 1`;
    expect(await counts()).toEqual({ calls: 3 });
    expect(await other.counts()).toEqual({ calls: 1 });
    expect(await (await put({ delay_ms: 0 })).json()).toEqual({ calls: 3 });
    expect(await (await put({ faults: [] })).json()).toEqual({ calls: 0 });
  });

  it("delays every call that has its label, and no others", async () => {
    const { sql, put } = labelled();
    await put({ delay_ms: 2000 });
    let isAnswered = false;
    const slow = sql`select 1`.then(() => {
      isAnswered = true;
    });
    await labelled().sql`select 1`;
    expect(isAnswered).toBe(false);
    await slow;
  });

  it.each([
    [{ kind: "refuse" }, "NeonDbError", /^Error connecting to database: TypeError: fetch failed$/],
    [
      { kind: "status", status: 500, body: "boom" },
      "NeonDbError",
      /^Server error \(HTTP status 500\): boom$/,
    ],
    [{ kind: "status", status: 429 }, "NeonDbError", /^Server error \(HTTP status 429\)/],
    [
      { kind: "sqlstate", code: "40001", message: "could not serialize" },
      "NeonDbError",
      /^could not serialize$/,
    ],
    [{ kind: "truncate" }, "TypeError", /^terminated$/],
    [{ kind: "cut_body" }, "SyntaxError", /JSON/],
    [{ kind: "not_json" }, "SyntaxError", /<!doctype/],
  ])("makes one call fail with %o, before any SQL runs", async (fault, name, message) => {
    const { sql, put, counts } = labelled();
    await put({ faults: [{ kind: "none" }, fault] });
    const insert = () => sql`insert into effects values (${1}) returning id`;
    expect(await insert()).toEqual([{ id: 1 }]);
    const error = await insert().catch((reason) => reason);
    expect(error.constructor.name).toBe(name);
    expect(error.message).toMatch(message);
    expect(error.code).toBe("code" in fault ? fault.code : undefined);
    expect(await sql`delete from effects returning id`).toEqual([{ id: 1 }]);
    expect(await counts()).toEqual({ calls: 3 });
  });

  it("drops a response after the SQL has committed", async () => {
    const { sql, put } = labelled();
    await put({ faults: [{ kind: "lost_answer" }] });
    await expect(sql`insert into effects values (7)`).rejects.toThrow("fetch failed");
    expect(await sql`delete from effects returning id`).toEqual([{ id: 7 }]);
  });

  it("lets a call hang until the caller disconnects, without running SQL", async () => {
    const { sql, put } = labelled();
    await put({ faults: [{ kind: "hang" }] });
    const signal = AbortSignal.timeout(200);
    await expect(
      sql.query("insert into effects values (8)", [], { fetchOptions: { signal } }),
    ).rejects.toThrow("TimeoutError");
    expect(await sql`select id from effects`).toEqual([]);
  });

  it("rejects unknown settings", async () => {
    const { put } = labelled();
    for (const settings of [
      { faults: [{ kind: "earthquake" }] },
      { faults: [{ kind: "status" }] },
      { faults: [{ kind: "hang", seconds: 3 }] },
      { delay_ms: -1 },
      { delayMs: 5 },
      null,
    ]) {
      expect((await put(settings)).status).toBe(400);
    }
  });
});

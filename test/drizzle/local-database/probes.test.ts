import { neon } from "@neondatabase/serverless";
import { beforeAll, expect, it } from "vitest";
import { describeLocalDatabase } from "../helpers/local-databases.ts";

describeLocalDatabase("a probe", (subject) => {
  beforeAll(() => subject.sql`create table effects (id int)`);

  /** A driver under a label of its own, and the address of its probe. */
  const labelled = () => {
    const label = crypto.randomUUID();
    const address = new URL(`/probes/${label}`, subject.database.endpoint);
    const sql = neon(`${subject.database.connectionString}?application_name=${label}`);
    const put = (settings: unknown) =>
      fetch(address, { method: "PUT", body: JSON.stringify(settings) });
    return { sql, put, address, counts: async () => (await fetch(address)).json() };
  };

  it("counts calls and statements of its label", async () => {
    const { sql, counts } = labelled();
    const other = labelled();
    await sql`select 1`;
    await sql.transaction([sql`select 1`, sql`select 2`]);
    await sql`selekt`.catch(() => {});
    await other.sql`select 1`;
    expect(await counts()).toEqual({ calls: 3, statements: 4 });
    expect(await other.counts()).toEqual({ calls: 1, statements: 1 });
  });

  it("starts over when faults are set, and when it is deleted", async () => {
    const { sql, put, address, counts } = labelled();
    await sql`select 1`;
    expect(await (await put({ delay_ms: 0 })).json()).toEqual({ calls: 1, statements: 1 });
    expect(await (await put({ faults: [] })).json()).toEqual({ calls: 0, statements: 0 });
    await sql`select 1`;
    expect((await fetch(address, { method: "DELETE" })).status).toBe(204);
    expect(await counts()).toEqual({ calls: 0, statements: 0 });
  });

  it("delays every call of its label, and nobody else's", async () => {
    const { sql, put } = labelled();
    await put({ delay_ms: 300 });
    const started = performance.now();
    const slow = sql`select 1`.then(() => performance.now() - started);
    await subject.sql`select 1`;
    const fast = performance.now() - started;
    expect(await slow).toBeGreaterThanOrEqual(299);
    expect(fast).toBeLessThan(await slow);
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
    expect(await counts()).toEqual({ calls: 3, statements: 3 });
  });

  it("loses an answer after the SQL has committed", async () => {
    const { sql, put } = labelled();
    await put({ faults: [{ kind: "lost_answer" }] });
    await expect(sql`insert into effects values (7)`).rejects.toThrow("fetch failed");
    expect(await sql`delete from effects returning id`).toEqual([{ id: 7 }]);
  });

  it("lets a call hang until the caller gives up, without any SQL", async () => {
    const { sql, put } = labelled();
    await put({ faults: [{ kind: "hang" }] });
    const signal = AbortSignal.timeout(200);
    const started = performance.now();
    await expect(
      sql.query("insert into effects values (8)", [], { fetchOptions: { signal } }),
    ).rejects.toThrow("TimeoutError");
    expect(performance.now() - started).toBeGreaterThanOrEqual(199);
    expect(await sql`select id from effects`).toEqual([]);
  });

  it("refuses settings that it does not know", async () => {
    const { put, address } = labelled();
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
    expect((await fetch(address, { method: "PUT", body: "{" })).status).toBe(400);
    expect((await fetch(address, { method: "POST" })).status).toBe(405);
    expect((await fetch(new URL("/probes/%ff", address))).status).toBe(400);
  });
});

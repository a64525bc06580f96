import { NeonDbError } from "@neondatabase/serverless";
import { beforeAll, expect, it } from "vitest";
import { describeLocalDatabase, post } from "../helpers/local-databases.ts";

describeLocalDatabase("an error", (subject) => {
  beforeAll(() =>
    subject.sql.transaction((sql) => [
      sql`create domain percent as int constraint percent_range check (value between 0 and 100)`,
      sql`create table records (id int primary key, name text not null, share percent)`,
      sql`insert into records values (1, 'first')`,
      sql`create function fail() returns int language plpgsql as $$
        begin execute 'select nothing_there'; return 1; end $$`,
      sql`create function hint() returns int language plpgsql as $$
        begin raise exception 'no' using errcode = 'INV01', detail = 'd', hint = 'h'; end $$`,
    ]),
  );

  const failure = async (query: string): Promise<NeonDbError> => {
    const error = await subject.sql.query(query).catch((reason) => reason);
    expect(error).toBeInstanceOf(NeonDbError);
    return error;
  };

  it("names the constraint, the table and the schema", async () => {
    expect(await failure("insert into records values (1, 'again')")).toMatchObject({
      message: 'duplicate key value violates unique constraint "records_pkey"',
      code: "23505",
      severity: "ERROR",
      schema: "public",
      table: "records",
      constraint: "records_pkey",
      detail: "Key (id)=(1) already exists.",
      file: "nbtinsert.c",
      line: expect.stringMatching(/^\d+$/),
      routine: "_bt_check_unique",
    });
  });

  it("names the column", async () => {
    expect(await failure("insert into records values (2, null)")).toMatchObject({
      code: "23502",
      column: "name",
      detail: "Failing row contains (2, null, null).",
    });
  });

  it("names the type", async () => {
    expect(await failure("insert into records values (2, 'n', 101)")).toMatchObject({
      code: "23514",
      dataType: "percent",
      constraint: "percent_range",
    });
  });

  it("contains the position in the statement", async () => {
    expect(await failure("select 1 selekt 2")).toMatchObject({ code: "42601", position: "17" });
  });

  it("names the function and the position in its statement", async () => {
    expect(await failure("select fail()")).toMatchObject({
      code: "42703",
      internalPosition: "8",
      internalQuery: "select nothing_there",
      where: expect.stringContaining("PL/pgSQL function fail() line 2 at EXECUTE"),
    });
  });

  it("contains the codes, details and hints that functions raise", async () => {
    expect(await failure("select hint()")).toMatchObject({
      message: "no",
      code: "INV01",
      detail: "d",
      hint: "h",
    });
  });

  it("contains null for fields that Postgres does not return", async () => {
    const response = await post(subject, '{"query": "select 1/0", "params": []}');
    expect(response.status).toBe(400);
    const body = await response.json();
    expect(body).toMatchObject({ code: "22012", table: null, constraint: null, position: null });
    expect(Object.keys(Object(body)).sort()).toEqual([
      ...["code", "column", "constraint", "dataType", "detail", "file", "hint", "internalPosition"],
      ...["internalQuery", "line", "message", "position", "routine", "schema", "severity", "table"],
      "where",
    ]);
  });

  it("is returned for more than one statement", async () => {
    expect(await failure("select 1; select 2")).toMatchObject({ code: "42601" });
  });
});

describeLocalDatabase("a request", (subject) => {
  it.each([
    ["malformed JSON", '{"query":'],
    ["an empty body", ""],
    ["no statement", '{"q": 1, "params": []}'],
    ["a parameter that is not a string", '{"query": "select $1", "params": [1]}'],
    ["half of a surrogate pair", '{"query": "select $1", "params": ["\\ud83d"]}'],
    ["half of a surrogate pair in a name", '{"query": "select 1", "params": [], "\\ude00": 1}'],
    ["a byte order mark", '\ufeff{"query": "select 1", "params": []}'],
    ["bytes that are not UTF-8", Uint8Array.from([0x22, 0xff, 0x22])],
  ])("with %s is rejected before any SQL runs", async (_, body) => {
    const response = await post(subject, body);
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { message: "could not parse the HTTP request body", code: "", severity: "" },
    ]);
  });

  it("with NUL in a parameter is rejected by Postgres itself", async () => {
    const body = '{"query": "select $1::text", "params": ["a\\u0000"]}';
    const response = await post(subject, body);
    expect([response.status, await response.json()]).toMatchObject([400, { code: "22021" }]);
  });

  it.each([
    ["an isolation level", { "neon-batch-isolation-level": "Serializable" }],
    ["values that are not raw text", { "neon-raw-text-output": "false" }],
    ["rows that are not arrays", { "neon-array-mode": "false" }],
  ])("for %s is rejected, since the response would be wrong", async (_, headers) => {
    const body = '{"queries": [{"query": "select 1", "params": []}]}';
    expect((await post(subject, body, headers)).status).toBe(400);
  });
});

import { NeonDbError } from "@neondatabase/serverless";
import { beforeAll, describe, expect, it } from "vitest";
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

  it("tells the position in the statement", async () => {
    expect(await failure("select 1 selekt 2")).toMatchObject({ code: "42601", position: "17" });
  });

  it("tells the position in a function's statement, and where it is", async () => {
    expect(await failure("select fail()")).toMatchObject({
      code: "42703",
      internalPosition: "8",
      internalQuery: "select nothing_there",
      where: expect.stringContaining("PL/pgSQL function fail() line 2 at EXECUTE"),
    });
  });

  it("carries codes, details and hints of our own", async () => {
    expect(await failure("select hint()")).toMatchObject({
      message: "no",
      code: "INV01",
      detail: "d",
      hint: "h",
    });
  });

  it("has null for what Postgres does not tell", async () => {
    const response = await post(subject, '{"query": "select 1/0"}');
    expect(response.status).toBe(400);
    const body = await response.json();
    expect(body).toMatchObject({ code: "22012", table: null, constraint: null, position: null });
    expect(Object.keys(Object(body)).sort()).toEqual([
      ...["code", "column", "constraint", "dataType", "detail", "file", "hint", "internalPosition"],
      ...["internalQuery", "line", "message", "position", "routine", "schema", "severity", "table"],
      "where",
    ]);
  });

  it("is given for more than one statement", async () => {
    expect(await failure("select 1; select 2")).toMatchObject({ code: "42601" });
  });

  it("is given for copying from the caller, who has no way to send data", async () => {
    expect((await failure("copy records from stdin")).message).toBe(
      "unexpected message from server",
    );
    expect(await subject.sql`select 1 as one`).toEqual([{ one: 1 }]);
  });
});

describeLocalDatabase("a request", (subject) => {
  const badText = "could not parse the HTTP request body: ";
  describe.each([
    ["half a surrogate pair in a parameter", '{"query": "select $1", "params": ["\\ud800"]}'],
    ["half a surrogate pair in a statement", '{"query": "select \'\\udc00\'"}'],
    ["half a surrogate pair in a name", '{"query": "select 1", "\\ud800": 1}'],
    ["bytes that are not UTF-8", Uint8Array.of(0x22, 0xff, 0x22)],
    ["malformed JSON", '{"query":'],
    ["no body", ""],
    ["no statement", '{"q": 1}'],
    ["a statement that is no text", '{"query": 1}'],
    ["parameters that are no list", '{"query": "select 1", "params": "x"}'],
  ])("with %s", (_, body) => {
    it("is refused before any SQL runs", async () => {
      const response = await post(subject, body);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        message: expect.stringContaining(badText),
        code: "",
        severity: "",
      });
    });
  });

  it("with NUL is refused, by Postgres in a parameter and before it in a statement", async () => {
    const parameter = await post(subject, '{"query": "select $1::text", "params": ["a\\u0000"]}');
    expect([parameter.status, await parameter.json()]).toMatchObject([400, { code: "22021" }]);
    const statement = await post(subject, '{"query": "select 1 \\u0000"}');
    expect([statement.status, await statement.json()]).toMatchObject([
      400,
      { message: "string contains embedded null", code: "" },
    ]);
  });

  it("with a whole surrogate pair or an escaped backslash is fine", async () => {
    for (const [sent, received] of [
      ["\\ud83d\\ude00", "😀"],
      ["\\\\ud800", "\\ud800"],
    ]) {
      const response = await post(subject, `{"query": "select $1::text", "params": ["${sent}"]}`);
      expect(await response.json()).toMatchObject({ rows: [[received]] });
    }
  });

  it("with an unknown isolation level is refused", async () => {
    const response = await post(subject, '{"queries": [{"query": "select 1"}]}', {
      "neon-batch-isolation-level": "Chaos",
    });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { message: "invalid isolation level", code: "" },
    ]);
  });

  it("for values as JSON is refused, as the answer would be wrong", async () => {
    const response = await post(subject, '{"query": "select 1"}', {
      "neon-raw-text-output": "false",
    });
    expect(response.status).toBe(400);
  });
});

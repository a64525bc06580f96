import { neon } from "@neondatabase/serverless";
import { expect, it } from "vitest";
import { describeLocalDatabase, post } from "../helpers/local-databases.ts";

describeLocalDatabase("values", (subject) => {
  it("of every type are returned as text", async () => {
    const response = await post(
      subject,
      JSON.stringify({
        query: `select 1::int, 9007199254740993::bigint, 1.50::numeric, true, null,
          'é😀', array['a', 'b"c', null], '{"x": 1}'::jsonb, '\\xdead'::bytea,
          '2026-04-22T15:57:37.843Z'::timestamptz at time zone 'UTC', 'NaN'::float8`,
        params: [],
      }),
    );
    expect(await response.json()).toMatchObject({
      rows: [
        [
          "1",
          "9007199254740993",
          "1.50",
          "t",
          null,
          "é😀",
          '{a,"b\\"c",NULL}',
          '{"x": 1}',
          "\\xdead",
          "2026-04-22 15:57:37.843",
          "NaN",
        ],
      ],
    });
  });

  it("are converted to JavaScript values by the driver", async () => {
    const rows = await subject.sql`
      select 1 as one, 9007199254740993::bigint as big, null as nothing, array['a', 'b"c'] as list,
        '{"x": 1}'::jsonb as json, '2026-04-22T15:57:37.843Z'::timestamptz as at, true as yes`;
    expect(rows).toEqual([
      {
        one: 1,
        big: "9007199254740993",
        nothing: null,
        list: ["a", 'b"c'],
        json: { x: 1 },
        at: new Date("2026-04-22T15:57:37.843Z"),
        yes: true,
      },
    ]);
  });

  it("in parameters arrive unchanged", async () => {
    const values = ["text", new Date(0), { a: [1, null] }, ["x", null, 'y"\\'], "😀", "a\\ud800"];
    const [row] = await subject.sql.query(
      `select $1::text as text, $2::timestamptz as at, $3::jsonb as json, $4::text[] as list,
        $5::text as emoji, $6::text as escape`,
      values,
    );
    expect(Object.values(row ?? {})).toEqual(values);
  });

  it("are returned with the columns, command and row count that the driver needs", async () => {
    await subject.sql`create table described (id int primary key, name varchar(5))`;
    const result = await neon(subject.database.connectionString, { fullResults: true }).query(
      "insert into described values (1, $1), (2, $1) returning *",
      ["n"],
    );
    expect(result).toMatchObject({
      command: "INSERT",
      rowCount: 2,
      rowAsArray: false,
      fields: [
        { name: "id", dataTypeID: 23, dataTypeSize: 4, dataTypeModifier: -1, columnID: 1 },
        { name: "name", dataTypeID: 1043, dataTypeSize: -1, dataTypeModifier: 9, columnID: 2 },
      ],
    });
    expect(result.fields[0]?.tableID).toBeGreaterThan(0);
    expect(result.fields[0]?.format).toBe("text");
  });

  it("are empty for an empty statement and for an empty result", async () => {
    expect(await subject.sql.query("")).toEqual([]);
    expect(await subject.sql`select 1 where false`).toEqual([]);
  });
});

/** A raw request to an endpoint that speaks Neon's SQL over HTTP. */
export interface Case {
  name: string;
  body: string | Uint8Array<ArrayBuffer>;
  method?: string;
  path?: string;
  headers?: Readonly<Record<string, string>>;
  /**
   * The reason for a known difference between the stand-in and Neon's proxy; absent if both must
   * respond identically.
   */
  knownDifference?: string;
}

const statement = (query: string, params: readonly (string | null)[] = []) => ({ query, params });

const one = (
  name: string,
  query: string,
  params: readonly (string | null)[] = [],
  rest: Partial<Case> = {},
): Case => ({ name, body: JSON.stringify(statement(query, params)), ...rest });

const batch = (name: string, queries: readonly string[], rest: Partial<Case> = {}): Case => ({
  name,
  body: JSON.stringify({ queries: queries.map((query) => statement(query)) }),
  ...rest,
});

/** Values for which both endpoints must return the same text. */
const values = [
  ["null", "null::text"],
  ["text", "'é😀'"],
  ["integers", "1::smallint, 2::int, 3::bigint"],
  ["numerics", "1.50::numeric, 'NaN'::numeric, 'Infinity'::float8, -0.0::float8"],
  ["booleans", "true, false"],
  ["times", "'2026-01-02T03:04:05.678Z'::timestamptz, '2026-01-02'::date, '1 day'::interval"],
  ["bytes", "'\\xdeadbeef'::bytea"],
  ["JSON", `'{"a": [1, null]}'::json, '{"b": "c"}'::jsonb`],
  ["arrays", "'{1,2,NULL}'::int[], '{\"a b\",\"\"}'::text[], '{}'::uuid[]"],
  [
    "composites and ranges",
    "row(1, 'a', null), '[1,3)'::int4range, '{[1,2],[4,5]}'::int4multirange",
  ],
  [
    "network types",
    "'10.0.0.1/8'::inet, 'fe80::1'::inet, '10.0.0.0/8'::cidr, '08:00:2b:01:02:03'::macaddr",
  ],
  ["two columns with the same name", "1 as a, 2 as a"],
  ["no value", ""],
  ["void", "pg_sleep(0)"],
] as const;

/** Statements that Postgres rejects, by SQLSTATE. */
const failures = [
  ["22012", "select 1/0"],
  ["22P02", "select 'x'::int"],
  ["42601", "select 1 selekt 2"],
  ["42601 of two statements", "select 1; select 2"],
  ["42703", "select missing"],
  ["42P01", "select from missing"],
  ["42883", "select missing(1)"],
  ["23514", "select 101::differential.percent"],
  ["23502", "insert into differential.records values (2, null)"],
  ["23503", "insert into differential.parts values (9)"],
  ["23505", "insert into differential.records values (1, 'again')"],
  ["23P01", "insert into differential.spans values ('[2,4)')"],
  ["57014", "select differential.too_long()"],
  ["INV01 with its detail and hint", "select differential.refuse()"],
  ["an error after rows", "select 1 / (3 - n) from generate_series(1, 5) as n"],
] as const;

/**
 * Statements to run before the cases, in each endpoint's database. They use a separate schema,
 * which is dropped at the end.
 */
export const preparation = [
  "drop schema if exists differential cascade",
  "create schema differential",
  "create domain differential.percent as int check (value between 0 and 100)",
  "create table differential.records (id int primary key, name text not null)",
  "create table differential.parts (record_id int references differential.records deferrable initially immediate)",
  "create table differential.spans (span int4range, exclude using gist (span with &&))",
  "insert into differential.records values (1, 'first')",
  "insert into differential.spans values ('[1,3)')",
  `create function differential.refuse() returns int language plpgsql as $$
    begin raise exception 'no' using errcode = 'INV01', detail = '{"code": "x"}', hint = 'h'; end $$`,
  `create function differential.too_long() returns int language plpgsql set statement_timeout = 100 as $$
    begin raise exception 'canceled' using errcode = '57014'; end $$`,
] as const;

export const removal = ["drop schema differential cascade"] as const;

const malformed = [
  ["malformed JSON", '{"query":'],
  ["an empty body", ""],
  ["no statement", '{"q": 1}'],
  ["half of a surrogate pair", '{"query": "select $1::text", "params": ["\\ud83d"]}'],
  ["half of a surrogate pair in a name", '{"query": "select 1", "params": [], "\\ude00": 1}'],
  ["a byte order mark", '\ufeff{"query": "select 1", "params": []}'],
  ["bytes that are not UTF-8", Uint8Array.from([0x22, 0xff, 0x22])],
] as const;

const outsideOfDriver = "the driver never sends it";

export const cases: readonly Case[] = [
  ...values.map(([name, expression]) => one(`a value: ${name}`, `select ${expression}`)),
  one("parameters", "select $1::int + 1 as sum, $2::text, $3::jsonb", ["41", null, '{"a": 1}']),
  one("a parameter in the wrong format", "select $1::int", ["x"]),
  one("too few parameters", "select $1::int, $2::int", ["1"]),
  one("a parameter with NUL", "select $1::text", ["a\u0000"]),
  one("an insert", "insert into differential.records values (7, 'seventh') returning id"),
  one("an update that matches no row", "update differential.records set name = 'x' where id = 99"),
  one("a delete", "delete from differential.records where id = 7"),
  one("an empty statement", ""),
  ...failures.map(([name, query]) => one(`an error: ${name}`, query)),
  batch("a batch", ["select 1 as one", "select 2 as two"]),
  batch("a batch without statements", []),
  batch("a batch that fails", [
    "insert into differential.records values (8, 'eighth')",
    "select 1/0",
  ]),
  one("the rows after a failed batch", "select count(*) from differential.records where id = 8"),
  batch("a violation at commit", [
    "set constraints all deferred",
    "insert into differential.parts values (9)",
  ]),
  batch("settings in a transaction", [
    "select set_config('app.differential', 'set', true)",
    "select current_setting('app.differential', true)",
  ]),
  batch("settings after the transaction", [
    "select coalesce(current_setting('app.differential', true), '')",
  ]),
  batch(
    "300 statements",
    Array.from({ length: 300 }, (_, index) => `select ${index}`),
  ),
  one("a response of 1 MiB", "select repeat('x', 1048576)"),
  one("a response of 11 MiB", "select repeat('x', 1000) from generate_series(1, 11600)"),
  ...malformed.map(([name, body]): Case => ({ name: `a request with ${name}`, body })),
  one("a session setting", "select set_config('app.session', 'set', false)"),
  one("a session setting, later", "select coalesce(current_setting('app.session', true), '')", [], {
    knownDifference: "the stand-in does not clean connections unless configured to",
  }),
  one("a parameter that is a number", "select 1", [], {
    body: '{"query": "select $1::int", "params": [1]}',
    knownDifference: outsideOfDriver,
  }),
  one("an isolation level", "select 1", [], {
    headers: { "neon-batch-isolation-level": "Serializable" },
    knownDifference: outsideOfDriver,
  }),
  one("values that are not raw text", "select 1", [], {
    headers: { "neon-raw-text-output": "false" },
    knownDifference: outsideOfDriver,
  }),
  one("rows as objects", "select 1", [], {
    headers: { "neon-array-mode": "false" },
    knownDifference: outsideOfDriver,
  }),
  one("no connection string", "select 1", [], {
    headers: { "neon-connection-string": "" },
    knownDifference: "the messages differ",
  }),
  one("another path", "select 1", [], { path: "/other", knownDifference: outsideOfDriver }),
];

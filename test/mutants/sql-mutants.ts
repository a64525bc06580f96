import type pg from "pg";
import { functionTexts, type SqlText } from "../../drizzle/apply-files.ts";

/** A deliberate fault of the database. At least one test must fail with it. */
export interface Mutant {
  /** The changed text, such as `functions/gate/enter.sql`, or the table of a policy, such as `hosts`. */
  path: string;
  /** The changed line of `path`, counted from 1. Absent for policies, triggers and constraints. */
  line?: number | undefined;
  /** The change, as a person reads it: `< → <=`, or `drop the trigger count_moved_record`. */
  change: string;
  /** Changes a migrated database. */
  sql: string;
  /** The function that runs the changed text, if any. */
  function: string | null;
  /** True if that function can end with an error. */
  canRaise: boolean;
}

/** All mutants of the functions and of the rules of tables, in a fixed order. */
export async function sqlMutants(client: pg.Client): Promise<Mutant[]> {
  const texts = await functionTexts();
  const { rows } = await client.query<Omit<Mutant, "canRaise">>(ruleMutants);
  const raising = new Set(
    texts.filter(({ text }) => canEndWithError(text)).map(({ name }) => name),
  );
  return [
    // Stored statements are tested by every read.
    ...texts.filter(({ path }) => !path.startsWith("stored/")).flatMap(functionMutants),
    ...rows.map((rule) => ({ ...rule, canRaise: raising.has(rule.function ?? "") })),
  ];
}

const canEndWithError = (text: string) => /\braise exception\b|\bapp\.abort\(/.test(text);

/**
 * Rules that apply to the tables, from the catalog, whichever file creates them: policies that let
 * everything through, and triggers, constraints and unique indexes that are gone.
 */
const ruleMutants = `
  with ruled as (
    select oid, relname, oid::regclass as name from pg_class
    where relkind = 'r' and relnamespace in ('public'::regnamespace, 'app'::regnamespace))
  select relname as path, change, sql, "function" from (
    select relname, null as "function", format('open the policy %s', polname) as change,
      case
        when not polpermissive then format('drop policy %I on %s', polname, name)
        else concat(format('alter policy %I on %s', polname, name),
          case when polqual is not null then ' using (true)' end,
          case when polwithcheck is not null then ' with check (true)' end)
      end as sql
    from pg_policy join ruled on ruled.oid = polrelid
    union all
    select relname, proname, format('drop the trigger %s', tgname),
      format('drop trigger %I on %s', tgname, name)
    from pg_trigger join ruled on ruled.oid = tgrelid join pg_proc on pg_proc.oid = tgfoid
    where not tgisinternal
    union all
    select relname, null, format('drop the constraint %s', conname),
      format('alter table %s drop constraint %I', name, conname)
    from pg_constraint join ruled on ruled.oid = conrelid
    where contype in ('c', 'f', 'x') or contype = 'u' and not exists (
      select from pg_constraint as referencing where referencing.conindid = pg_constraint.conindid
        and referencing.contype = 'f')
    union all
    select relname, null, format('drop the unique index %s', indexrelid::regclass),
      format('drop index %s', indexrelid::regclass)
    from pg_index join ruled on ruled.oid = indrelid
    where indisunique and not exists (select from pg_constraint where conindid = indexrelid)
  ) as mutants
  order by relname, change`;

/** A word, an operator or a bracket of SQL, outside of comments and of texts in quotes. */
interface Token {
  text: string;
  start: number;
}

const tokenPattern =
  /--.*|'(?:[^']|'')*'|"[^"]*"|\$\w*\$|\d+(?:\.\d+)?|[a-z_][\w.]*|[<>=!@#%&|?:*/+~^-]+|[^\s\w]/gi;

function tokensOf(sql: string): Token[] {
  return [...sql.matchAll(tokenPattern)]
    .map((match) => ({ text: match[0], start: match.index }))
    .filter(({ text }) => !text.startsWith("--"));
}

/** The replacements of tokens. Postgres rejects those that result in invalid SQL. */
const replacements: Record<string, string> = {
  "=": "<>",
  "<>": "=",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  and: "or",
  or: "and",
  exists: "not exists",
  "not exists": "exists",
  "is null": "is not null",
  "is not null": "is null",
  "is distinct": "is not distinct",
  "is not distinct": "is distinct",
  not: "",
  where: "where true or",
  least: "greatest",
  greatest: "least",
  min: "max",
  max: "min",
  asc: "desc",
  desc: "asc",
  "left join": "join",
  coalesce: "nullif",
};

/** Statements of PL/pgSQL that a mutant leaves out. */
const omitted = new Set(["perform", "raise", "insert", "update", "delete"]);

/** The tokens after which a statement of PL/pgSQL begins. */
const beforeStatement = new Set([";", "then", "else", "begin", "loop"]);

function functionMutants({ path, name, text }: SqlText): Mutant[] {
  const tokens = tokensOf(text);
  // Tests of the catalog cover the header and the grants.
  const first = tokens.findIndex(({ text: token }) => token === "as" || token === "begin");
  const last = tokens.findLastIndex(({ text: token }) => token.startsWith("$") || token === "end");
  const canRaise = canEndWithError(text);
  const mutants: Mutant[] = [];
  const add = (start: number, end: number, replacement: string) => {
    const original = text.slice(start, end).replaceAll(/\s+/g, " ");
    mutants.push({
      path,
      line: text.slice(0, start).split("\n").length,
      change: `${original.length > 60 ? `${original.slice(0, 60)}…` : original} → ${replacement || "nothing"}`,
      function: name,
      canRaise,
      sql: `${text.slice(0, start)}${replacement}${text.slice(end)}`,
    });
  };
  const endOf = (index: number, end: string) => {
    let depth = 0;
    for (let next = index; next < last; next++) {
      const token = tokens[next]?.text ?? "";
      depth += token === "(" || token === "case" ? 1 : token === ")" || token === "end" ? -1 : 0;
      if (depth === 0 && token === end) {
        return tokens[next]?.start;
      }
    }
    return undefined;
  };
  for (let index = first + 1; index < last; index++) {
    const [token, second, third] = tokens.slice(index, index + 3);
    if (token === undefined) {
      break;
    }
    const after = tokens[index + 1]?.start ?? text.length;
    const before = tokens[index - 1]?.text ?? "";
    if (token.text === "create" && second?.text === "or") {
      index += 2;
      continue;
    }
    const words = [
      [token.text, second?.text, third?.text].join(" "),
      [token.text, second?.text].join(" "),
      token.text,
    ];
    const word = words.find((candidate) => Object.hasOwn(replacements, candidate));
    if (word !== undefined) {
      const count = word.split(" ").length;
      const lastToken = tokens[index + count - 1] ?? token;
      add(token.start, lastToken.start + lastToken.text.length, replacements[word] ?? "");
      index += count - 1;
    } else if (/^\d+$/.test(token.text) && /^(<|>|<=|>=|=|limit)$/.test(before)) {
      add(token.start, token.start + token.text.length, String(Number(token.text) + 1));
    } else if ((token.text === "if" || token.text === "elsif") && before !== "end") {
      const then = endOf(index, "then");
      if (then !== undefined) {
        add(after, then, "false ");
        add(after, then, "true ");
      }
    } else if (omitted.has(token.text) && beforeStatement.has(before)) {
      const end = endOf(index, ";");
      if (end !== undefined) {
        add(token.start, end, "null");
      }
    }
  }
  return mutants;
}

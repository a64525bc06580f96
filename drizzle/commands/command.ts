import { DrizzleQueryError } from "drizzle-orm/errors";
import type * as z from "zod";

/** Wrong usage of a command. The message shows the usage. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Prints the usage of a command, and ends it, where `--help` or `-h` asks for that. */
export function answerHelp(usage: string): void {
  if (process.argv.some((argument) => argument === "--help" || argument === "-h")) {
    console.log(usage);
    process.exit(0);
  }
}

/** The end of the usage of a command that works on a database. */
export const whichDatabase = `
Without DATABASE_URL these work on the local database; --local makes one if there is none.`;

/**
 * The connection string that an operator has given; undefined without one.
 * @throws {UsageError} if it is empty, which `pg` would take for a database on this machine
 */
export function databaseUrl(): string | undefined {
  const url = process.env["DATABASE_URL"];
  if (url === "") {
    throw new UsageError("DATABASE_URL is empty. Set it to a connection string, or unset it.");
  }
  return url;
}

/** A connection string without its password and its options, for people. */
export const withoutSecrets = (text: string): string => {
  const url = URL.parse(text);
  return url ? `${url.username}@${url.host}${url.pathname}` : "that of DATABASE_URL";
};

/** Says which database a command works on, where its output is not in the way. */
export const announceDatabase = (database: string) => console.error(`Database: ${database}`);

/**
 * Checks the options of a command.
 * @throws {UsageError} names every option that is missing or wrong, and shows the usage
 */
export function parseOptions<Schema extends z.ZodType>(
  schema: Schema,
  options: unknown,
  usage: string,
): z.output<Schema> {
  const parsed = schema.safeParse(options, {
    error: ({ input }) => (input === undefined ? "is required" : undefined),
  });
  if (!parsed.success) {
    throw new UsageError(`${problemsOf(parsed.error)}\n\n${usage}`);
  }
  return parsed.data;
}

/** One line per problem: the option, and what is wrong with it. */
const problemsOf = (error: z.ZodError) =>
  error.issues
    .map(({ path: [name = "", ...rest], message }) => {
      const place = rest.length > 0 ? `${String(name)}[${rest.join(".")}]` : String(name);
      return `${place}: ${message}`;
    })
    .join("\n");

/** Control characters, format characters (which change the direction of text), and separators of lines. */
const acting = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * What a caller has written, on one line, for a terminal. What a terminal would act on is shown as
 * `\u{1b}`.
 */
export const shown = (text: string): string =>
  text.replace(acting, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

const shownByLine = (text: string) => text.split("\n").map(shown).join("\n");

/**
 * Runs a command and prints its result, or why it failed. The exit status is 2 for wrong usage, 1 for
 * any other failure.
 */
export async function runCommand(command: () => Promise<string>): Promise<void> {
  try {
    console.log(shownByLine(await command()));
  } catch (error) {
    process.exitCode = error instanceof UsageError || isArgumentError(error) ? 2 : 1;
    console.error(shownByLine(reasonOf(error)));
  }
}

/**
 * Why something failed, for people. A database error is shown by its own message, without the SQL and
 * the parameters that Drizzle prepends.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  if (error instanceof DrizzleQueryError) {
    return reasonOf(error.cause);
  }
  if (error instanceof AggregateError && error.message === "") {
    return error.errors.map(reasonOf).join(", ");
  }
  return error.cause === undefined ? error.message : `${error.message}: ${reasonOf(error.cause)}`;
}

/** Whether `parseArgs` rejected the arguments. */
const isArgumentError = (error: unknown) =>
  error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS_");

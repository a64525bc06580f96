import { DrizzleQueryError } from "drizzle-orm/errors";
import type * as z from "zod";

/** Incorrect usage of a command. The message contains the usage. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Handles `--help` and `-h`: prints the usage and exits. */
export function answerHelp(usage: string): void {
  if (process.argv.some((argument) => argument === "--help" || argument === "-h")) {
    console.log(usage);
    process.exit(0);
  }
}

/** The last part of the usage message of commands that use a database. */
export const whichDatabase = `
Without DATABASE_URL, these commands use the local database; --local creates one if there is none.`;

/**
 * The connection string in `DATABASE_URL`; undefined if unset.
 * @throws {UsageError} if it is empty, which `pg` would interpret as a local database
 */
export function databaseUrl(): string | undefined {
  const url = process.env["DATABASE_URL"];
  if (url === "") {
    throw new UsageError("DATABASE_URL is empty. Set it to a connection string, or unset it.");
  }
  return url;
}

/** Formats a connection string without its password and options. */
export const withoutSecrets = (text: string): string => {
  const url = URL.parse(text);
  return url ? `${url.username}@${url.host}${url.pathname}` : "the one in DATABASE_URL";
};

/**
 * Prints to stderr which database a command uses, so that stdout contains only the command's
 * output.
 */
export const announceDatabase = (database: string) => console.error(`Database: ${database}`);

/**
 * Checks the options of a command.
 * @throws {UsageError} with every missing or invalid option, and the usage
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

/** Formats one line per problem: the option and the message. */
const problemsOf = (error: z.ZodError) =>
  error.issues
    .map(({ path: [name = "", ...rest], message }) => {
      const option = rest.length > 0 ? `${String(name)}[${rest.join(".")}]` : String(name);
      return `${option}: ${message}`;
    })
    .join("\n");

/**
 * Control characters, format characters (which include characters that change the text direction),
 * and line separators.
 */
const controlCharacters = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Formats a caller's text as one line for a terminal. Control characters are escaped as `\u{1b}`.
 */
export const shown = (text: string): string =>
  text.replace(controlCharacters, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

const shownByLine = (text: string) => text.split("\n").map(shown).join("\n");

/**
 * Runs a command and prints its result or its error. The exit status is 2 for incorrect usage, 1
 * for any other failure.
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
 * Formats an error for display. For a database error, returns the database's own message, without
 * the SQL and the parameters that Drizzle prepends.
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

/** True for errors from `parseArgs`. */
const isArgumentError = (error: unknown) =>
  error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS_");

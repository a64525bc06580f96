import { DrizzleQueryError } from "drizzle-orm/errors";
import type * as z from "zod";

/** The caller of a command got it wrong. The message tells how it goes. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/**
 * Checks the options of a command.
 * @throws {UsageError} which names every option that is missing or wrong, and the usage
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

/** A line per problem: what is wrong, and how. */
const problemsOf = (error: z.ZodError) =>
  error.issues
    .map(({ path: [name = "", ...rest], message }) => {
      const place = rest.length > 0 ? `${String(name)}[${rest.join(".")}]` : String(name);
      return `${place}: ${message}`;
    })
    .join("\n");

/**
 * Runs a command: prints what it returns, or why it could not. The exit status is 2 when the caller
 * got it wrong, 1 for any other failure.
 */
export async function runCommand(command: () => Promise<string>): Promise<void> {
  try {
    console.log(await command());
  } catch (error) {
    process.exitCode = error instanceof UsageError || isArgumentError(error) ? 2 : 1;
    console.error(reasonOf(error));
  }
}

/**
 * Why something failed, for people. Errors of the database are told by their own message, without
 * the SQL and the parameters that Drizzle puts in front.
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

/** Whether `parseArgs` does not know what the caller means. */
const isArgumentError = (error: unknown) =>
  error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS_");

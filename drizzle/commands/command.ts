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
  const parsed = schema.safeParse(options);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      ({ path, message }) => `--${path.join(".")}: ${message}`,
    );
    throw new UsageError([...problems, "", usage].join("\n"));
  }
  return parsed.data;
}

/**
 * Runs a command: prints what it returns, or why it could not. Errors of the database are told by
 * their own message, without the SQL and the parameters that Drizzle puts in front.
 */
export async function runCommand(command: () => Promise<string>): Promise<void> {
  try {
    console.log(await command());
  } catch (error) {
    process.exitCode = error instanceof UsageError ? 2 : 1;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    console.error(cause instanceof Error ? cause.message : String(cause));
  }
}

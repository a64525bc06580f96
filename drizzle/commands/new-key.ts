import { encodeBase64 } from "hono/utils/encode";
import { answerHelp, runCommand, UsageError } from "./command.ts";

interface NewKey {
  /** The name of the command. */
  command: string;
  /** The Worker's secret that contains the key. */
  variable: string;
  /** Creates the bytes of a key. */
  create: () => Uint8Array<ArrayBuffer>;
  /** Parses the secret. */
  parse: (list: string) => unknown;
}

/** A unique name, since a list with two keys of the same name is rejected. */
const newName = () => `${new Date().toISOString().slice(0, 10)}-${crypto.randomUUID().slice(0, 8)}`;

/** Runs a command that prints a new entry, `NAME:KEY`, for a secret of the Worker. */
export async function printNewKey({ command, variable, create, parse }: NewKey): Promise<void> {
  const usage = `Usage:
  npm run --silent ${command} [NAME]

Prints a new key for ${variable}. A name is 1 to 32 letters, digits, _ and -; by default, the date
and eight random digits.`;
  answerHelp(usage);
  await runCommand(async () => {
    const [name = newName(), ...surplus] = process.argv.slice(2);
    const entry = `${name}:${encodeBase64(create().buffer)}`;
    try {
      parse(entry);
    } catch {
      throw new UsageError(usage);
    }
    if (surplus.length > 0) {
      throw new UsageError(usage);
    }
    return entry;
  });
}

import { encodeBase64 } from "hono/utils/encode";
import { parseSealingKeys } from "../../src/env.ts";
import { answerHelp, runCommand, UsageError } from "./command.ts";

const usage = `Usage:
  npm run --silent sealing-key [NAME]

Prints a new key for SEALING_KEYS. A name is 1 to 32 letters, digits, _ and -; by default, the date
and eight random digits.`;

/** A unique name, since a key ring with two keys of the same name is rejected. */
const newName = () => `${new Date().toISOString().slice(0, 10)}-${crypto.randomUUID().slice(0, 8)}`;

answerHelp(usage);
await runCommand(async () => {
  const [name = newName(), ...surplus] = process.argv.slice(2);
  const entry = `${name}:${encodeBase64(crypto.getRandomValues(new Uint8Array(32)).buffer)}`;
  try {
    parseSealingKeys(entry);
  } catch {
    throw new UsageError(usage);
  }
  if (surplus.length > 0) {
    throw new UsageError(usage);
  }
  return entry;
});

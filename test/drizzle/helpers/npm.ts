import { spawn } from "node:child_process";
import { once } from "node:events";
import { delimiter, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import packageJson from "../../../package.json" with { type: "json" };

const { scripts } = packageJson;

/** The name of a package.json script. */
export type Script = keyof typeof scripts;

/** The project folder. */
export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The exit status and the output of a command. */
export interface Outcome {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** The environment of a new user's shell, without the test run's variables. */
export function environment(variables: Record<string, string>): NodeJS.ProcessEnv {
  const { DATABASE_URL, SEALING_KEYS, NODE_OPTIONS, NODE_ENV, ...inherited } = process.env;
  return { ...inherited, ...variables };
}

/** The line in which a command prints its database. */
const databaseLine = /^Database: .*\n/;

/** Like {@link npmOutput}, without the line that names the database. */
export async function npmRun(...run: Parameters<typeof npmOutput>): Promise<Outcome> {
  const { stderr, ...rest } = await npmOutput(...run);
  return { ...rest, stderr: stderr.replace(databaseLine, "") };
}

/**
 * Runs the command line of a package.json script as `npm run <script> -- <options>` does.
 * @param input the text that is typed
 */
export async function npmOutput(
  script: Script,
  options: readonly string[],
  variables: Record<string, string>,
  input = "",
): Promise<Outcome> {
  const child = spawn("sh", ["-c", `${scripts[script]} "$@"`, "sh", ...options], {
    cwd: root,
    env: {
      ...environment(variables),
      PATH: [join(root, "node_modules/.bin"), process.env["PATH"]].join(delimiter),
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
  // A command that does not read its input may already have exited.
  child.stdin.on("error", () => {}).end(input);
  const [stdout, stderr, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { status, stdout, stderr };
}

/** Matches text that commands must not print: SQL, a constraint name, a line of a stack trace. */
export const internals =
  /\b(select|insert into|update|delete from)\b.*\b(from|values|set|where)\b|\$\d|_fk\b|_check\b|^\s+at |node:internal|\.ts:\d/im;

import { functionTexts, ruleTexts } from "../apply-files.ts";
import { answerHelp, runCommand, UsageError } from "./command.ts";

const usage = `Usage:
  npm run --silent sql [NAME]

Prints the SQL that npm run migrate applies for a table or a function of the schema app, generated
triggers and functions included; without a name, all of it.`;

answerHelp(usage);
await runCommand(async () => {
  const [name, ...surplus] = process.argv.slice(2);
  if (surplus.length > 0) {
    throw new UsageError(usage);
  }
  const texts = [...(await functionTexts()), ...(await ruleTexts())];
  const chosen = texts.filter(
    (text) => name === undefined || name === text.name || name === text.table,
  );
  if (chosen.length === 0) {
    throw new UsageError(`There is no table or function ${name}.\n\n${usage}`);
  }
  return chosen.map(({ path, text }) => `-- ${path}\n${text}`).join("\n");
});

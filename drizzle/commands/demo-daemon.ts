import demo from "../demo.json" with { type: "json" };
import { dataFolder, findRunning } from "../local/running.ts";
import { runCommand, UsageError } from "./command.ts";

const names = demo.daemons.map(({ name }) => name);
const usage = `Usage, while npm run dev runs:
  npm run demo-daemon -- stop|start ${names.join("|")}`;

await runCommand(async () => {
  const [verb = "", name = ""] = process.argv.slice(2);
  if (!["stop", "start"].includes(verb) || !names.includes(name)) {
    throw new UsageError(usage);
  }
  const running = await findRunning(dataFolder());
  if (!running) {
    throw new UsageError(`npm run dev does not run.\n${usage}`);
  }
  const response = await fetch(`${running.demoDaemons}/${name}/${verb}`, { method: "POST" });
  if (!response.ok) {
    throw new Error(`The demo daemon ${name} did not ${verb}: HTTP status ${response.status}.`);
  }
  return verb === "stop"
    ? `Stopped the demo daemon ${name}. It is unreachable after five failed polls, in about 90 seconds.`
    : `Started the demo daemon ${name}.`;
});

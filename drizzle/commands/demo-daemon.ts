import { pretendedServices } from "../demo/pretended-network.ts";
import demo from "../demo.json" with { type: "json" };
import { dataFolder, findRunning } from "../local/running.ts";
import { answerHelp, runCommand, UsageError } from "./command.ts";

const daemons = demo.daemons.map(({ name }) => name);
const services = pretendedServices.map(({ name }) => name);
const usage = `Usage, while npm run dev runs:
  npm run demo-daemon -- stop|start ${daemons.join("|")}
  npm run demo-daemon -- stop-service|start-service ${services.join("|")}`;

/**
 * For each verb of the command: the request to send to the demo daemons, and the message to print.
 */
const verbs: Partial<Record<string, (name: string) => { path: string; done: string } | null>> = {
  stop: ofDaemon(
    "stop",
    (name) =>
      `Stopped the demo daemon ${name}. It is unreachable after five failed polls, in about 75 seconds.`,
  ),
  start: ofDaemon("start", (name) => `Started the demo daemon ${name}.`),
  "stop-service": ofService(
    "stop",
    ({ name, host, daemon }) =>
      `Stopped ${name} on ${host}. The next full scan of ${daemon} ends its binding.`,
  ),
  "start-service": ofService(
    "start",
    ({ name, host, daemon }) => `Started ${name} on ${host}. The next scan of ${daemon} finds it.`,
  ),
};

function ofDaemon(action: "stop" | "start", done: (name: string) => string) {
  return (name: string) =>
    daemons.includes(name) ? { path: `daemons/${name}/${action}`, done: done(name) } : null;
}

function ofService(
  action: "stop" | "start",
  done: (service: (typeof pretendedServices)[number]) => string,
) {
  return (name: string) => {
    const service = pretendedServices.find((one) => one.name === name);
    return service ? { path: `services/${name}/${action}`, done: done(service) } : null;
  };
}

answerHelp(usage);
await runCommand(async () => {
  const [verb = "", name = ""] = process.argv.slice(2);
  const request = verbs[verb]?.(name);
  if (!request) {
    throw new UsageError(usage);
  }
  const running = await findRunning(dataFolder());
  if (!running) {
    throw new UsageError(
      `npm run dev does not run with the data folder ${dataFolder()}. Start it, or set the folder of one that ` +
        `runs: DATA_FOLDER=… npm run demo-daemon\n${usage}`,
    );
  }
  const response = await fetch(`${running.demoDaemons}/${request.path}`, { method: "POST" });
  if (!response.ok) {
    throw new Error(`${name} did not ${verb}: HTTP status ${response.status}.`);
  }
  return request.done;
});

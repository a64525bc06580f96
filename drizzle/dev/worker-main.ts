import { spawn } from "node:child_process";

/**
 * The process that `startWorkerProcess` starts: wrangler, with the arguments given, in a group that
 * does not outlive the process that started it, whatever ends that.
 */
process.once("disconnect", () => process.kill(-process.pid, "SIGKILL"));
process.on("SIGTERM", () => {});
const wrangler = spawn("wrangler", process.argv.slice(2), { stdio: "inherit" });
wrangler.once("error", () => process.exit(1));
wrangler.once("exit", (status) => process.exit(status ?? 1));

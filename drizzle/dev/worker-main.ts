import { spawn } from "node:child_process";

/**
 * The process that `startWorkerProcess` starts. It runs wrangler with the given arguments, and
 * kills its process group when the parent process ends for any reason.
 */
process.once("disconnect", () => process.kill(-process.pid, "SIGKILL"));
process.on("SIGTERM", () => {});
const wrangler = spawn("wrangler", process.argv.slice(2), { stdio: "inherit" });
wrangler.once("error", () => process.exit(1));
wrangler.once("exit", (status) => process.exit(status ?? 1));

import { execFileSync } from "node:child_process";
import { after, before, test } from "node:test";
import { fillUpToFirstBinding } from "./first-binding.ts";
import { startService } from "./service.ts";

const here = import.meta.dirname;
const run = (tool: string, ...options: string[]) =>
  execFileSync(`${here}/node_modules/.bin/${tool}`, options, { stdio: "pipe", encoding: "utf8" });

let service: Awaited<ReturnType<typeof startService>>;
before(async () => {
  service = await startService();
});
after(() => service.stop());

test("a client generated from the served document passes strict type checks and works", async () => {
  // Fields with a default may be omitted from a request.
  const options = ["--default-non-nullable=false", "--output", `${here}/schema.d.ts`];
  run("openapi-typescript", `${service.address}/openapi.json`, ...options);
  run("tsc", "--project", here);
  const { callFiveOperations, fillOrganization, patchHost, provokeFailures } = await import(
    "./five-operations.ts"
  );
  await callFiveOperations(service.address);
  await fillOrganization(service.address);
  await patchHost(service.address);
  await provokeFailures(service.address);
});

test("a script that uses that client fills an empty organization up to its first binding", () =>
  fillUpToFirstBinding(service.address, service.folder));

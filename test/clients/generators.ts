import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { after, before, test } from "node:test";
import { startService } from "./service.ts";

const here = import.meta.dirname;
let service: Awaited<ReturnType<typeof startService>>;

const run = (tool: string, ...options: string[]) =>
  execFileSync(`${here}/node_modules/.bin/${tool}`, options, {
    cwd: here,
    env: {
      ...process.env,
      DOCUMENT: `${here}/../../src/docs/assets/openapi.json`,
      SERVICE: service.address,
    },
    stdio: "pipe",
    encoding: "utf8",
  });

before(async () => {
  service = await startService();
  rmSync(`${here}/generated/hey-api`, { recursive: true, force: true });
  rmSync(`${here}/generated/orval`, { recursive: true, force: true });
  run("openapi-ts", "--file", "openapi-ts.config.ts");
  run("orval", "--config", "orval.config.cjs");
});
after(() => service.stop());

test("the clients that hey-api and orval generate compile strictly", () => {
  run("tsc", "--project", "tsconfig.generated.json");
});

for (const generator of ["hey-api", "orval"]) {
  test(`the client that ${generator} generates calls the five operations`, async () => {
    const { call } = await import(`./${generator}.ts`);
    await call(service.address);
  });
}

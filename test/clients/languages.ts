import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { startService } from "./service.ts";

// Clients in other languages. Their generators are heavy, so each test is skipped where its tools are
// not on the PATH. With Java and Go installed, they are set up in a virtual environment by
//
//   python3 -m venv .local/generators && . .local/generators/bin/activate
//   pip install openapi-generator-cli==7.26.0 openapi-python-client==0.29.1 mypy==2.4.1 \
//     pydantic python-dateutil urllib3 lazy-imports
//   GOBIN=$VIRTUAL_ENV/bin go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2

const here = import.meta.dirname;
const document = `${here}/../../src/docs/assets/openapi.json`;
const generated = `${here}/generated`;

let service: Awaited<ReturnType<typeof startService>>;
before(async () => {
  service = await startService();
});
after(() => service.stop());

function run(tool: string, options: string[], folder: string, env: Record<string, string> = {}) {
  return execFileSync(tool, options, {
    cwd: folder,
    env: {
      ...process.env,
      ...{ SERVICE: service.address, DEMO: `${here}/../../drizzle/demo.json`, ...env },
    },
    stdio: "pipe",
    encoding: "utf8",
  });
}

const isInstalled = (tool: string) => spawnSync("which", [tool]).status === 0;

/** Why a test is skipped, if one of its tools is missing. */
function skipWithout(...tools: string[]): string | false {
  const missing = tools.filter((tool) => !isInstalled(tool));
  return missing.length > 0 && `needs ${missing.join(", ")} on the PATH: see languages.ts`;
}

/** An empty folder for what a generator writes. */
function folderOf(name: string): string {
  const folder = `${generated}/${name}`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

const generate = (generator: string, folder: string) =>
  run(
    "openapi-generator-cli",
    ["generate", "--input-spec", document, "--generator-name", generator, "--output", folder],
    folder,
  );

/** Compiles the module in a folder, and runs a program that uses it as `example.com/generated`. */
function runGo(folder: string, program: string): void {
  mkdirSync(`${folder}/program`);
  cpSync(`${here}/languages/${program}`, `${folder}/program/main.go`);
  run("go", ["mod", "tidy"], folder);
  run("go", ["vet", ".", "./program"], folder);
  run("go", ["run", "./program"], folder);
}

test("openapi-generator makes a Python client that works", {
  skip: skipWithout("openapi-generator-cli", "java", "python3"),
}, () => {
  const folder = folderOf("openapi-generator-python");
  generate("python", folder);
  run("python3", [`${here}/languages/openapi_generator.py`], folder, { PYTHONPATH: folder });
});

test("openapi-generator makes a TypeScript client that compiles strictly", {
  skip: skipWithout("openapi-generator-cli", "java"),
}, () => {
  const folder = folderOf("openapi-generator-typescript-fetch");
  generate("typescript-fetch", folder);
  const compilerOptions = {
    ...{ target: "es2022", module: "esnext", moduleResolution: "bundler" },
    ...{ lib: ["es2022", "dom", "dom.iterable"], types: [], strict: true, noEmit: true },
  };
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify({ compilerOptions }));
  run(`${here}/node_modules/.bin/tsc`, ["--project", folder], folder);
});

test("openapi-generator makes a Go client that tells the unions", {
  skip: skipWithout("openapi-generator-cli", "java", "go"),
}, () => {
  const folder = folderOf("openapi-generator-go");
  generate("go", folder);
  // Its own tests import the repository that it guesses.
  rmSync(`${folder}/test`, { recursive: true });
  run("go", ["mod", "edit", "-module", "example.com/generated"], folder);
  runGo(folder, "openapi_generator.go");
});

test("openapi-python-client makes a typed client that works", {
  skip: skipWithout("openapi-python-client", "mypy", "python3"),
}, () => {
  const folder = folderOf("openapi-python-client");
  run(
    "openapi-python-client",
    ["generate", "--path", document, "--output-path", folder, "--overwrite"],
    folder,
  );
  run("mypy", ["--strict", "network_inventory_api_client"], folder);
  run("python3", [`${here}/languages/openapi_python_client.py`], folder, { PYTHONPATH: folder });
});

test("oapi-codegen makes a Go client that works", {
  skip: skipWithout("oapi-codegen", "go"),
}, () => {
  const folder = folderOf("oapi-codegen");
  const options = ["-generate", "types,client", "-package", "api", "-o", "api.go", document];
  run("oapi-codegen", options, folder);
  run("go", ["mod", "init", "example.com/generated"], folder);
  runGo(folder, "oapi_codegen.go");
});

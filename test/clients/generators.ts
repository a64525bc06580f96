import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import * as go from "./languages/go.ts";
import * as typescript from "./languages/typescript.ts";
import { kinds } from "./records.ts";
import { startService } from "./service.ts";

const here = import.meta.dirname;
const document = `${here}/../../src/docs/assets/openapi.json`;
/** The folder in which `.ci/install-generators` installs tools that are not npm packages. */
const tools = `${here}/.tools`;
const npm = `${here}/node_modules/.bin`;
const execute = promisify(execFile);
/** Maximum duration of a generator, a compiler or a program, in milliseconds. */
const patienceMs = 300_000;

/**
 * A client generator that runs in an empty folder: it generates a client, checks it and calls it.
 */
interface Target {
  name: string;
  /** Writes the client and a program that uses it. */
  generate(folder: string): Promise<void>;
  /** Fails if the compiler or type checker reports anything. */
  check(folder: string): Promise<void>;
  /** Runs the program against the service. */
  run(folder: string): Promise<void>;
}

let service: Awaited<ReturnType<typeof startService>>;

async function call(tool: string, options: string[], cwd: string, env = {}): Promise<void> {
  const variables = {
    ...process.env,
    PATH: `${tools}/bin:${process.env["PATH"]}`,
    DOCUMENT: document,
    SERVICE: service.address,
    DEMO: `${here}/../../drizzle/demo.json`,
    ...env,
  };
  try {
    await execute(tool, options, { cwd, env: variables, maxBuffer: 2 ** 26, timeout: patienceMs });
  } catch (error) {
    const output = error instanceof Error && "stdout" in error ? error : undefined;
    throw new Error(`${tool} ${options.join(" ").slice(0, 200)}\n${JSON.stringify(output)}`, {
      cause: error,
    });
  }
}

const openapiGenerator = (
  version: string,
  generator: string,
  folder: string,
  ...properties: string[]
) =>
  call(
    "java",
    [
      // The generator exits before an optimizing compiler would pay off.
      ...["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar"],
      `${tools}/openapi-generator-${version}/openapi_generator_cli/openapi-generator.jar`,
      ...["generate", "--input-spec", document, "--generator-name", generator],
      ...properties.flatMap((property) => ["--additional-properties", property]),
      ...[
        "--output",
        folder,
        "--global-property",
        "apiTests=false,modelTests=false,apiDocs=false,modelDocs=false",
      ],
    ],
    folder,
  );

const compilerOptions = {
  ...{ target: "es2024", module: "esnext", moduleResolution: "bundler", types: ["node"] },
  ...{ lib: ["es2024", "dom", "dom.iterable"], strict: true, skipLibCheck: true },
};

/**
 * A TypeScript project, checked strictly. The project is compiled if Node cannot run it directly.
 */
const typescriptTarget = (
  name: string,
  generate: (folder: string) => Promise<void>,
  program: () => string,
  options: object = { noEmit: true, allowImportingTsExtensions: true },
  main = "program.ts",
): Target => ({
  name,
  async generate(folder) {
    await generate(folder);
    await writeFile(`${folder}/program.ts`, program());
    const project = { compilerOptions: { ...compilerOptions, ...options }, include: ["./**/*.ts"] };
    await writeFile(`${folder}/tsconfig.json`, JSON.stringify(project));
  },
  check: (folder) => call(`${npm}/tsc`, ["--project", folder], folder),
  run: (folder) => call("node", [main], folder),
});

const goTarget = (
  name: string,
  generate: (folder: string) => Promise<void>,
  program: () => string,
): Target => ({
  name,
  async generate(folder) {
    await generate(folder);
    await mkdir(`${folder}/program`);
    await writeFile(`${folder}/program/main.go`, program());
    await call("go", ["mod", "tidy"], folder);
  },
  check: (folder) => call("go", ["vet", ".", "./program"], folder),
  run: (folder) => call("go", ["run", "./program"], folder),
});

const pythonTarget = (
  name: string,
  generate: (folder: string) => Promise<void>,
  client: string,
  check: readonly [string, ...string[]],
): Target => ({
  name,
  generate,
  check: (folder) => call(check[0], check.slice(1), folder),
  async run(folder) {
    const list = `${folder}/kinds.json`;
    await writeFile(list, JSON.stringify(kinds));
    await call("python", [`${here}/languages/python.py`, client, list], folder, {
      PYTHONPATH: folder,
    });
  },
});

/** The newest version, and the version that the npm package contains. */
const versions = ["7.26.0", "7.23.0"];

/**
 * How fields are named in TypeScript. If 7.23.0 renames a field, strict compilers reject its code.
 */
const namingOf = (version: string) => (version === "7.23.0" ? "original" : "camelCase");

const targets: Target[] = [
  ...versions.flatMap((version) => [
    pythonTarget(
      `openapi-generator ${version} python`,
      (folder) => openapiGenerator(version, "python", folder),
      "openapi_client",
      ["python", "-m", "compileall", "-q", "openapi_client"],
    ),
    typescriptTarget(
      `openapi-generator ${version} typescript-fetch`,
      async (folder) => {
        const naming = `modelPropertyNaming=${namingOf(version)}`;
        await openapiGenerator(version, "typescript-fetch", folder, naming);
        await writeFile(`${folder}/package.json`, '{ "type": "commonjs" }');
      },
      () => typescript.typescriptFetch(namingOf(version)),
      { module: "commonjs", moduleResolution: "node10", outDir: "out" },
      "out/program.js",
    ),
    goTarget(
      `openapi-generator ${version} go`,
      async (folder) => {
        // Otherwise, unions try each of their schemas, and in 7.23.0 none of them matches.
        await openapiGenerator(version, "go", folder, "useOneOfDiscriminatorLookup=true");
        await call("go", ["mod", "edit", "-module", "example.com/generated"], folder);
      },
      go.openapiGenerator,
    ),
  ]),
  pythonTarget(
    "openapi-python-client",
    (folder) =>
      call(
        "openapi-python-client",
        [
          ...["generate", "--path", document, "--output-path", folder, "--overwrite"],
          ...["--config", `${here}/../../src/client/python/generator.yaml`, "--fail-on-warning"],
        ],
        folder,
      ),
    "network_inventory_api_client",
    // It sends XML only as a file but treats `type: string` as plain text, so its code for imports
    // cannot work.
    ["mypy", "--strict", "--exclude", "create_import", "network_inventory_api_client"],
  ),
  goTarget(
    "oapi-codegen",
    async (folder) => {
      const options = ["-generate", "types,client", "-package", "api", "-o", "api.go", document];
      await call("oapi-codegen", options, folder);
      await call("go", ["mod", "init", "example.com/generated"], folder);
    },
    go.oapiCodegen,
  ),
  typescriptTarget(
    "hey-api",
    (folder) =>
      call(`${npm}/openapi-ts`, ["--file", "openapi-ts.config.ts"], here, { FOLDER: folder }),
    typescript.heyApi,
  ),
  typescriptTarget(
    "orval",
    (folder) => call(`${npm}/orval`, ["--config", "orval.config.cjs"], here, { FOLDER: folder }),
    typescript.orval,
  ),
];

before(async () => {
  if (!existsSync(`${tools}/bin/oapi-codegen`)) {
    throw new Error("Run .ci/install-generators first.");
  }
  service = await startService();
});
after(() => service.stop());

/** The programs create the same records, so they run one after another. */
let turn = Promise.resolve();

describe("a client generated from the document", { concurrency: 2 }, () => {
  for (const { name, generate, check, run } of targets) {
    test(`${name} passes strict checks and works on one record of every kind`, async () => {
      const folder = `${here}/generated/${name.replaceAll(" ", "-")}`;
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true });
      await generate(folder);
      await check(folder);
      const running = turn.then(() => run(folder));
      turn = running.catch(() => undefined);
      await running;
    });
  }
});

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { app } from "../../src/app.ts";
import { errorCatalogue } from "../../src/errors.ts";
import { loadSteps } from "../../src/http/on-first-request.ts";
import { endpointsOf } from "../../src/openapi/endpoints.ts";

/**
 * Writes the type of the API for Hono's client with `--write`, as plain types that need nothing but
 * Hono; without, sees that the committed file is up to date.
 *
 * The compiler prints the types: a module of one constant each is compiled to its declaration.
 */
const file = "src/client/app.d.ts";
// Inside the project, as its modules are found from there.
const folder = "dist/client";

/** The schema of `hc`, by the compiler's own names. */
const source = `
import type { Hono } from "hono";
import type { App } from "../../src/app.ts";
import type { ErrorCode, errorCatalogue, ErrorParams } from "../../src/errors.ts";
import type { Meta } from "../../src/http/envelope.ts";
import { expanded } from "./expanded.ts";

type Endpoints = App extends Hono<infer _Env, infer Schema, infer _Path> ? Schema : never;
type Success<E> = Extract<E, { output: { success: true } }>;
type Output<E> = Success<E> extends { output: infer O } ? O : never;
type Status<E> = Success<E> extends { status: infer S } ? S : never;
type Input<E> = E extends { input: infer I } ? I : never;
type Other<E> = Exclude<E, { output: { success: boolean } }>;
type Codes<E> = Extract<E, { output: { success: false } }> extends { output: { code: infer C } } ? C : never;
`;

/**
 * Types that have a name elsewhere lose it here. A text is boxed, as the compiler remembers where it
 * saw a union of texts first.
 */
const expanded = `
type Expand<T> = T extends string ? { "~text": T }
  : T extends readonly (infer Item)[] ? Expand<Item>[]
  : T extends object ? { [Key in keyof T]: Expand<T[Key]> } : T;
export const expanded = <T>(): Expand<T> => { throw new Error("for its type only"); };
`;
const boxedText = /\{\s*"~text": (string|"[^"]*");\s*\}/g;

/** The types to print, by name. */
const wanted = new Map<string, string>([["meta", "Meta"]]);
const codes = Object.keys(errorCatalogue);
for (const code of codes) {
  wanted.set(code, `ErrorParams<"${code}">`);
}
await loadSteps(app);
const endpoints = endpointsOf(app).map(({ method, path }, index) => {
  const route = path.replaceAll(/\{(\w+)\}/g, ":$1");
  const name = `$${method.toLowerCase()}`;
  for (const part of ["Input", "Output", "Status", "Codes", "Other"]) {
    wanted.set(`${part}${index}`, `${part}<Endpoints["${route}"]["${name}"]>`);
  }
  return { route, name, index };
});

/** Every wanted type as the compiler prints it. */
function print(): (name: string) => string {
  mkdirSync(folder, { recursive: true });
  try {
    const constants = [...wanted].map(
      ([name, type]) => `export const ${name} = expanded<${type}>();`,
    );
    writeFileSync(join(folder, "types.ts"), source + constants.join("\n"));
    writeFileSync(join(folder, "expanded.ts"), expanded);
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: "../../tsconfig.json",
        compilerOptions: {
          noEmit: false,
          declaration: true,
          emitDeclarationOnly: true,
          noCheck: true,
          rootDir: "../..",
          outDir: "out",
        },
        include: ["types.ts"],
        exclude: [],
      }),
    );
    // Other modules may have types that cannot be printed: they are not wanted.
    const { stdout } = spawnSync("tsc", ["-p", folder], { encoding: "utf8" });
    if (stdout.includes(folder)) {
      throw new Error(stdout);
    }
    const text = readFileSync(join(folder, "out/dist/client/types.d.ts"), "utf8");
    const printed = new Map(
      [...text.matchAll(/^export declare const (\w+): ([\s\S]*?);$(?=\n(?:export|$))/gm)].map(
        ([, name = "", type = ""]) => [name, type.replaceAll(boxedText, "$1")],
      ),
    );
    return (name) => {
      const type = printed.get(name);
      if (type === undefined) {
        throw new Error(`The compiler did not print ${name}:\n${text}`);
      }
      return type;
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const typeOf = print();

/** Responses without an envelope, such as 304. */
const otherThanJson = (type: string) => (type === "never" ? "" : ` | ${type}`);

const routes = Map.groupBy(endpoints, ({ route }) => route);
const declarations = `// Written by npm run generate:client.
import type { Hono } from "hono";

interface Meta ${typeOf("meta")}

/** The status and the parameters of every error. */
interface Errors {
${Object.entries(errorCatalogue)
  .map(([code, { status }]) => `${code}: { status: ${status}; params: ${typeOf(code)} };`)
  .join("\n")}
}

/** A response of success, in the form of Hono's client, which does not take an interface for it. */
type Success<Input, Output, Status> = {
  input: Input;
  output: Output;
  outputFormat: "json";
  status: Status;
};

/** The responses of failure. */
type Failure<Input, Code extends keyof Errors> = {
  [Each in Code]: {
    input: Input;
    output: {
      success: false;
      code: Each;
      error: string;
      params: Errors[Each]["params"];
      meta: Meta;
    };
    outputFormat: "json";
    status: Errors[Each]["status"];
  };
}[Code];

type Responses<Input, Output, Status, Code extends keyof Errors> =
  | Success<Input, Output, Status>
  | Failure<Input, Code>;

/** Every endpoint by its path and method. */
type Endpoints = {
${[...routes]
  .map(
    ([route, methods]) =>
      `"${route}": {${methods
        .map(
          ({ name, index }) =>
            `${name}: Responses<${["Input", "Output", "Status", "Codes"]
              .map((part) => typeOf(`${part}${index}`))
              .join(", ")}>${otherThanJson(typeOf(`Other${index}`))};`,
        )
        .join("\n")}};`,
  )
  .join("\n")}
};

/** The API, for Hono's client: \`hc<App>("https://api.example.com")\`. */
export type App = Hono<Record<never, never>, Endpoints, "/">;
`;
const text = execFileSync("biome", ["format", "--stdin-file-path=app.ts"], {
  encoding: "utf8",
  input: declarations,
});

if (/\bimport\(|\bany\b|~text/.test(text)) {
  throw new Error(`A type in ${file} needs more than Hono.`);
}

/** What the compiler reads for the frontend in test/hc, besides itself, Hono and these types. */
const foreign = execFileSync("tsc", ["-p", "test/hc", "--listFilesOnly"], { encoding: "utf8" })
  .split("\n")
  .filter(
    (path) =>
      path && !/\/node_modules\/(hono|@?typescript)\/|\/(src\/client|test\/hc)\//.test(path),
  );
if (foreign.length > 0) {
  throw new Error(`A frontend reads more than Hono: ${foreign.join(", ")}`);
}

if (process.argv.includes("--write")) {
  writeFileSync(file, text);
  console.log(`Client: wrote ${file}.`);
} else if (readFileSync(file, "utf8") === text) {
  console.log("Client: the types are those of the code.");
} else {
  console.log("Client: the types are not those of the code: run npm run generate:client.");
  process.exitCode = 1;
}

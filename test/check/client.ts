import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import packageJson from "../../package.json" with { type: "json" };
import { app } from "../../src/app.ts";
import { errorCatalogue } from "../../src/errors/errors.ts";
import { operationsOf } from "../../src/openapi/describe.ts";
import { itemOf } from "../../src/openapi/envelope.ts";
import { loadDescriptions } from "../../src/openapi/load.ts";
import { formOf } from "../../src/openapi/responses.ts";
import { describedMessages } from "../../src/openapi/webhooks.ts";

/**
 * With `--write`, writes the type of the API for Hono's client, as plain types that depend only on
 * Hono. Without it, checks that the committed file is up to date.
 *
 * The compiler prints the types: it emits the declaration file of a module that exports one
 * constant of each type.
 */
const file = "src/client/app.d.ts";
// This is inside the project, so that imports resolve.
const folder = "dist/client";

/** The schema for `hc`, from the types that the compiler infers. */
const source = `
import type { Hono } from "hono";
import type { App } from "../../src/app.ts";
import type { ErrorCode, errorCatalogue, ErrorParams } from "../../src/errors/errors.ts";
import type { Meta } from "../../src/http/envelope.ts";
import type { WebhookMessage } from "../../src/changes/deliveries/payload.ts";
import { expanded } from "./expanded.ts";

type Endpoints = App extends Hono<infer _Env, infer Schema, infer _Path> ? Schema : never;
/** A body in another program's format, without the envelope. */
type Bare<E> = Extract<Exclude<E, { output: { success: boolean } }>, { status: 200 }>;
type Success<E> = Extract<E, { output: { success: true } }> | Bare<E>;
type Output<E> = Success<E> extends { output: infer O } ? O : never;
type Status<E> = Success<E> extends { status: infer S } ? S : never;
type Query<Q> = string extends keyof Q ? {} : {} extends Q ? { query?: Q } : { query: Q };
type Input<E> = E extends { input: infer I }
  ? I extends { query: infer Q } ? Omit<I, "query"> & Query<Q> : I
  : never;
type MetaOf<E> = Output<E> extends { meta: infer M } ? M : never;
type Body<E> = Input<E> extends { json: infer J } ? (J extends readonly (infer I)[] ? I : J) : never;
type Item<E> = Output<E> extends { data: infer D } ? (D extends readonly (infer I)[] ? I : D) : never;
/**
 * Responses without an envelope, such as 304. They have no body, so they do not affect the body
 * type of failures.
 */
type Other<E> = Exclude<E, { output: { success: boolean } } | { status: 200 }> extends infer O
  ? O extends { input: infer I; status: infer S } ? { input: Input<{ input: I }>; output: never; outputFormat: "json"; status: S } : never
  : never;
type Codes<E> = Extract<E, { output: { success: false } }> extends { output: { code: infer C } } ? C : never;
`;

/**
 * Expands named types, so that they are printed in full. Strings are wrapped in objects: otherwise,
 * the compiler would print a union of strings under the name with which it first saw the union.
 */
const expanded = `
type Expand<T> = T extends string ? { "~text": T }
  : T extends readonly (infer Item)[] ? Expand<Item>[]
  : T extends object ? { [Key in keyof T]: Expand<T[Key]> } : T;
export const expanded = <T>(): Expand<T> => { throw new Error("for its type only"); };
`;
const boxedText = /\{\s*"~text": (string|"[^"]*");\s*\}/g;

/** The types to print, by name. */
const expressions = new Map<string, string>();
const codes = Object.keys(errorCatalogue);
for (const code of codes) {
  expressions.set(code, `ErrorParams<"${code}">`);
}
await loadDescriptions(app);
/** The types of records, of bodies and of `meta`, by their names in the OpenAPI document. */
const named = new Map([["Meta", "Meta"]]);
const metaNames = {
  record: "Meta",
  page: "ListMeta",
  pagedRecord: "ListMeta",
  taggedRecords: "TaggedMeta",
  cursor: "CursorMeta",
};
const bodies = new Map<string, string>();
/** The patches in a bulk PATCH, by their names, with the name of the patch without an id. */
const identified = new Map<string, string>();
const endpoints = operationsOf(app).map((operation, index) => {
  const { method, path, description, json } = operation;
  const route = path.replaceAll(/\{(\w+)\}/g, ":$1");
  const name = `$${method.toLowerCase()}`;
  const record = z.globalRegistry.get(itemOf(description.data))?.id;
  if (record !== undefined && record !== "Meta") {
    named.set(record, `Item<Endpoints["${route}"]["${name}"]>`);
  }
  const metaName = metaNames[formOf(operation)];
  if (!named.has(metaName)) {
    named.set(metaName, `MetaOf<Endpoints["${route}"]["${name}"]>`);
  }
  const body = json && z.globalRegistry.get(itemOf(json))?.id;
  if (body !== undefined) {
    const isIdentified = method === "PATCH" && path.endsWith("/bulk");
    const bodyName = isIdentified ? `Identified${body}` : body;
    if (isIdentified) {
      identified.set(bodyName, body);
    }
    bodies.set(bodyName, `Body<Endpoints["${route}"]["${name}"]>`);
  }
  for (const part of ["Input", "Output", "Status", "Codes", "Other"]) {
    expressions.set(`${part}${index}`, `${part}<Endpoints["${route}"]["${name}"]>`);
  }
  return { route, name, index };
});
for (const [name, type] of bodies) {
  named.set(named.has(name) ? `${name}Input` : name, type);
}
const messages = describedMessages().map(({ type, message }) => {
  const name = z.globalRegistry.get(message)?.title ?? type;
  named.set(name, `Extract<WebhookMessage, { type: "${type}" }>`);
  return name;
});
for (const [name, type] of named) {
  expressions.set(`Record${name}`, type);
}

/**
 * Has the compiler print every type in `expressions`. Returns a function that maps a name to its
 * printed type.
 */
function print(): (name: string) => string {
  mkdirSync(folder, { recursive: true });
  try {
    const constants = [...expressions].map(
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
    // Other modules may contain types that cannot be printed: ignore these errors.
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

const printed = print();

/** Removes the indentation of a printed type. */
const flat = (type: string) => type.replaceAll(/\n\s*/g, "\n");

/**
 * The longest types come first, since types can contain other types: a host contains ports. Equal
 * types share one name.
 */
const records = [...named.keys()]
  .map((name) => ({ name, text: flat(printed(`Record${name}`)) }))
  .filter(({ text }) => text.startsWith("{\n"))
  .filter(({ text }, index, all) => all.findIndex((one) => one.text === text) === index)
  .sort((one, other) => other.text.length - one.text.length);

/** Replaces each record within a type with its name. */
const withNames = (type: string, but?: string) =>
  records.reduce(
    (text, record) => (record.name === but ? text : text.replaceAll(record.text, record.name)),
    flat(type),
  );

const typeOf = (name: string) => withNames(printed(name));

/** Replaces an envelope with its name. */
const outputOf = (name: string) =>
  typeOf(name).replace(
    /^\{\nsuccess: true;\ndata: (.*);\nmeta: (\w+);\n\}$/s,
    (_, data, meta) => `Envelope<${data}${meta === "Meta" ? "" : `, ${meta}`}>`,
  );

/** Names for unions of errors that most endpoints share. */
const unions: Readonly<Record<string, readonly string[]>> = {
  ServiceError: ["internal_error", "service_unavailable"],
  KeyError: [
    "auth_key_disabled",
    "auth_key_expired",
    "auth_not_authenticated",
    "rate_limit_exceeded",
  ],
  PermissionError: ["auth_permission_denied", "auth_scope_denied"],
  BodyError: [
    "request_malformed_json",
    "request_timeout",
    "request_too_large",
    "request_unsupported_media_type",
    "validation_failed",
  ],
};

/** Returns a union of codes in which known unions are replaced with their names. */
function codesOf(name: string): string {
  let codes = [...printed(name).matchAll(/"(\w+)"/g)].map(([, code = ""]) => code);
  const parts: string[] = [];
  for (const [union, members] of Object.entries(unions)) {
    if (members.every((code) => codes.includes(code))) {
      codes = codes.filter((code) => !members.includes(code));
      parts.push(union);
    }
  }
  return [...parts, ...codes.map((code) => `"${code}"`)].join(" | ");
}
/** A union, such as a binding, cannot be an interface. */
const isUnion = (type: string) => /^\} \| \{$/m.test(type);
const recordOf = (name: string) => {
  const patch = identified.get(name);
  if (patch !== undefined) {
    return `export interface ${name} extends ${patch} {\nid: string;\n}`;
  }
  const printedRecord = printed(`Record${name}`);
  const type = withNames(printedRecord, name);
  return isUnion(printedRecord)
    ? `export type ${name} = ${type};`
    : `export interface ${name} ${type}`;
};

const otherThanJson = (type: string) => (type === "never" ? "" : ` | ${type}`);

const routes = Map.groupBy(endpoints, ({ route }) => route);
const declarations = `// Written by npm run generate:client.
import type { Hono } from "hono";

${records.map(({ name }) => recordOf(name)).join("\n\n")}

/** The body of a request to a webhook, distinguished by \`type\`. */
export type WebhookMessage = ${messages.join(" | ")};

/** The status and the parameters of every error. */
interface Errors {
${Object.entries(errorCatalogue)
  .map(([code, { status }]) => `${code}: { status: ${status}; params: ${typeOf(code)} };`)
  .join("\n")}
}

/** A success response in the format of Hono's client, which does not accept an interface here. */
type Success<Input, Output, Status> = {
  input: Input;
  output: Output;
  outputFormat: Output extends string ? "text" : "json";
  status: Status;
};

type Envelope<Data, Metadata = Meta> = { success: true; data: Data; meta: Metadata };

${Object.entries(unions)
  .map(([name, members]) => `type ${name} = ${members.map((code) => `"${code}"`).join(" | ")};`)
  .join("\n")}

/** The failure responses. */
type Failure<Input, Code extends keyof Errors> = {
  [Each in Code]: {
    input: Input;
    output: {
      success: false;
      code: Each;
      error: string;
      params: Errors[Each]["params"];
      meta: Meta & { request_id: string };
    };
    outputFormat: "json";
    status: Errors[Each]["status"];
  };
}[Code];

type Responses<Input, Output, Status, Code extends keyof Errors> =
  | Success<Input, Output, Status>
  | Failure<Input, Code>;

/** Every endpoint, by path and method. */
type Endpoints = {
${[...routes]
  .map(
    ([route, methods]) =>
      `"${route}": {${methods
        .map(
          ({ name, index }) =>
            `${name}: Responses<${[
              typeOf(`Input${index}`),
              outputOf(`Output${index}`),
              typeOf(`Status${index}`),
              codesOf(`Codes${index}`),
            ].join(", ")}>${otherThanJson(typeOf(`Other${index}`))};`,
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

if (process.argv.includes("--write")) {
  writeFileSync(file, text);
}

/** The version of the types package, which is the version of the API. */
const manifest = "src/client/package.json";
const described = readFileSync(manifest, "utf8");
const versioned = described.replace(/"version": "[^"]*"/, `"version": "${packageJson.version}"`);
if (process.argv.includes("--write")) {
  writeFileSync(manifest, versioned);
}

/** Installs the types package, as packed by npm, for the frontend in test/hc. */
function install(): void {
  const packages = "test/hc/node_modules";
  const own = `${packages}/network-inventory-api-client`;
  rmSync(packages, { recursive: true, force: true });
  mkdirSync(own, { recursive: true });
  execFileSync("npm", ["pack", "./src/client", "--silent", "--pack-destination", packages]);
  const [tarball = ""] = globSync(`${packages}/*.tgz`);
  execFileSync("tar", ["-xzf", tarball, "-C", own, "--strip-components=1"]);
  const missing = ["LICENSE", "README.md", "app.d.ts"].filter(
    (name) => !existsSync(`${own}/${name}`),
  );
  if (missing.length > 0) {
    throw new Error(`The package lacks ${missing.join(", ")}.`);
  }
}
install();

/**
 * The files that the compiler reads for the frontend in test/hc, other than the frontend, Hono and
 * these types.
 */
const foreign = execFileSync("tsc", ["-p", "test/hc", "--listFilesOnly"], { encoding: "utf8" })
  .split("\n")
  .filter((path) => path && !/\/node_modules\/(hono|@?typescript)\/|\/test\/hc\//.test(path));
if (foreign.length > 0) {
  throw new Error(`A frontend reads more than Hono: ${foreign.join(", ")}`);
}

if (process.argv.includes("--write")) {
  console.log(`Client: wrote ${file}.`);
} else if (readFileSync(file, "utf8") === text && described === versioned) {
  console.log("Client: the types and the version are those of the code.");
} else {
  console.log(
    "Client: the types or the version are not those of the code: run npm run generate:client.",
  );
  process.exitCode = 1;
}

import { format, type Schema, Validator } from "@cfworker/json-schema";
import { inject } from "vitest";
import * as z from "zod";
import document from "../../src/docs/assets/openapi.json" with { type: "json" };
import { isErrorCode, parseApiError } from "../../src/errors/errors.ts";

type Reference = { $ref: string };
interface DeclaredHeader {
  required?: boolean;
  schema: object;
}
interface DeclaredResponse {
  headers: Record<string, DeclaredHeader | Reference>;
  content?: Record<string, { schema: object }>;
}
type Responses = Record<string, DeclaredResponse | Reference>;

const paths: Record<
  string,
  Record<string, { operationId: string; responses: Responses }>
> = document.paths;
const { components } = document;
const shared: Record<string, DeclaredResponse> = components.responses;
const headers: Record<string, DeclaredHeader> = components.headers;

/** Headers that concern the transfer of the response, or CORS. */
const ofTransport = /^(content-(type|length)|vary|access-control-.*)$/;

/** Responses for paths that are not operations, by status. */
const outside: Readonly<Record<number, string>> = {
  404: "RouteNotFound",
  405: "MethodNotAllowed",
  500: "InternalFailure",
  503: "ServiceUnavailable",
};

/**
 * Pages that are not in the OpenAPI document: those for people or assistants, and those at
 * unversioned paths.
 */
const page = /^\/((docs|explore)(\/.*)?|openapi\.json|api\/(hosts|services|config))?$/;

const templates = Object.keys(paths).map((path) => ({
  path,
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
}));

const nameIn = ({ $ref }: Reference) => $ref.slice($ref.lastIndexOf("/") + 1);

/**
 * The path of the operation that serves a request: `GET /topology` with a `limit` is served by
 * `GET /topologies`, which the OpenAPI document describes only in prose.
 */
export const servedPath = ({ pathname, searchParams }: URL): string =>
  pathname === "/api/v1/topology" && searchParams.has("limit") ? "/api/v1/topologies" : pathname;

/**
 * Checks a response against the OpenAPI document: its status is declared, it has exactly the
 * declared headers, and its body is valid.
 * @param text the whole body; if omitted, only status and headers are checked
 * @returns the operation and status, or null if it is not a response to an operation
 * @throws {Error} that lists the differences
 */
export function judgeAnswer(
  method: string,
  path: string,
  answer: Response,
  text?: string,
): string | null {
  if (answer.status === 308) {
    // A redirect from a path of another service. Such paths are not in the OpenAPI document.
    return null;
  }
  if (method === "OPTIONS" || (page.test(path) && answer.status < 400)) {
    return null;
  }
  if (path === "/mcp" && answer.status < 500) {
    return null;
  }
  const template = templates.find(({ pattern }) => pattern.test(path))?.path ?? "";
  const operation = paths[template]?.[method === "HEAD" ? "get" : method.toLowerCase()];
  const status = String(answer.status);
  const declared = operation?.responses[status] ?? outsideResponse(operation, answer.status);
  const where = `${method} ${path}: ${status}`;
  if (!declared) {
    throw new Error(`${where} is not declared`);
  }
  const response = "$ref" in declared ? shared[nameIn(declared)] : declared;
  const problems = response
    ? [
        ...judgeHeaders(answer.headers, response),
        ...(text === undefined || method === "HEAD"
          ? []
          : judgeBody(answer, text, response, template)),
      ]
    : ["the response that it refers to is missing"];
  if (problems.length > 0) {
    throw new Error([`${where} is not as declared`, ...problems, text].join("\n  "));
  }
  return operation ? `${operation.operationId} ${status}` : null;
}

const outsideResponse = (operation: object | undefined, status: number) =>
  operation === undefined ? shared[outside[status] ?? ""] : undefined;

function judgeHeaders(actual: Headers, { headers: declared }: DeclaredResponse): string[] {
  const problems: string[] = [];
  const checked = new Set<string>();
  for (const [name, header] of Object.entries(declared)) {
    const definition = "$ref" in header ? headers[nameIn(header)] : header;
    const value = actual.get(name);
    checked.add(name.toLowerCase());
    if (!definition) {
      problems.push(`the header ${name} refers to nothing`);
    } else if (value !== null) {
      problems.push(...judge(definition.schema, parsedHeader(value, definition.schema), name));
    } else if (definition.required) {
      problems.push(`the header ${name} is missing`);
    }
  }
  for (const name of actual.keys()) {
    if (!checked.has(name) && !ofTransport.test(name)) {
      problems.push(`the header ${name} is not declared`);
    }
  }
  return problems;
}

/** Headers are text, but some contain numbers. */
const parsedHeader = (value: string, schema: object) =>
  "type" in schema && schema.type === "integer" ? Number(value) : value;

/** Exports are in the format of the program that reads them, without the envelope. */
const isBare = (template: string, status: number) =>
  template.startsWith("/api/v1/exports/") && status === 200;

/** The formats of lists and of the map, which the OpenAPI document describes only in prose. */
const otherForms = [
  ...["text/csv", "application/x-ndjson"],
  ...["text/vnd.mermaid", "application/vnd.mermaid", "text/vnd.graphviz"],
];

/** The page of `GET /organizations?all=true`, which the OpenAPI document describes only in prose. */
const operatorsPage = {
  type: "object",
  required: ["success", "data", "meta"],
  properties: {
    data: { type: "array", items: { $ref: "#/components/schemas/ManagedOrganization" } },
  },
};
const withList = z.object({ data: z.array(z.unknown()) });

function judgeBody(
  { status, headers }: Response,
  text: string,
  { content }: DeclaredResponse,
  template: string,
): string[] {
  if (!content) {
    return text === "" ? [] : ["there is a body"];
  }
  const [mediaType = ""] = headers.get("content-type")?.split(";") ?? [];
  const declared = content[mediaType];
  if (declared === undefined) {
    const isOtherForm = otherForms.includes(mediaType);
    return isOtherForm ? [] : [`the media type ${mediaType} is not declared`];
  }
  if (mediaType !== "application/json") {
    return judge(declared.schema, text, "body");
  }
  const body: unknown = JSON.parse(text);
  const isOperators = template === "/api/v1/organizations" && withList.safeParse(body).success;
  return [
    ...judge(isOperators ? operatorsPage : declared.schema, body, "body"),
    ...(isBare(template, status) ? [] : judgeSuccess(status, body)),
    ...judgeSentence(body),
  ];
}

/** Checks that `success` agrees with the status, which the schema does not enforce. */
const judgeSuccess = (status: number, body: unknown): string[] =>
  z.object({ success: z.literal(status < 400) }).safeParse(body).success
    ? []
    : ["success is not what the status says"];

/** The fields of a failure that determine its error message. */
const failure = z.object({
  code: z.string().refine(isErrorCode),
  error: z.string(),
  params: z.unknown(),
});

/** Checks that a failure's message is the one that the catalogue has for its parameters. */
function judgeSentence(body: unknown): string[] {
  const parsed = failure.safeParse(body);
  if (!parsed.success) {
    return [];
  }
  const { code, error, params } = parsed.data;
  const expected = parseApiError(code, params)?.message;
  return error === expected ? [] : [`the sentence is not the catalogue's: ${expected}`];
}

// The OpenAPI document has no pattern for timestamps, since generators would not use one.
format["date-time"] = (text: string) => /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/.test(text);

const validators = new WeakMap<object, Validator>();

/** The errors found when validating a value against a schema in the OpenAPI document. */
function judge(schema: object, value: unknown, name: string): string[] {
  let validator = validators.get(schema);
  if (!validator) {
    // A copy, since the validator writes absolute references into it.
    const whole: Schema = structuredClone({
      ...schema,
      components: { schemas: components.schemas },
    });
    validator = new Validator(whole, "2020-12");
    validators.set(schema, validator);
  }
  return validator
    .validate(value)
    .errors.map(({ instanceLocation, error }) => `${name} ${instanceLocation}: ${error}`);
}

const { webhooks } = document;

/**
 * Checks a message to a webhook against the OpenAPI document.
 * @throws {Error} that lists the differences
 */
export function judgeMessage(type: string, body: unknown): void {
  const described = Object.entries(webhooks).find(([name]) => name === type)?.[1];
  const problems = described
    ? judge(described.post.requestBody.content["application/json"].schema, body, "body")
    : [`the message type ${type} is not described`];
  if (problems.length > 0) {
    throw new Error(problems.join("\n  "));
  }
}

const recorded = new Set<string>();

/** Reports a provoked response to the global setup. */
export async function recordAnswer(provoked: string | null): Promise<void> {
  if (provoked !== null && !recorded.has(provoked)) {
    recorded.add(provoked);
    await fetch(inject("contractRecorder"), { method: "POST", body: provoked });
  }
}

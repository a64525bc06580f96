import type { Context, ExecutionContext } from "hono";
import type { WorkerEnv } from "../env.ts";
import { ApiError } from "../errors.ts";
import { readBytes } from "../http/body/body-bytes.ts";
import { type AppEnv, factory } from "../http/factory.ts";
import { presentedKey } from "../http/presented-key.ts";
import {
  discovered,
  initialized,
  isObject,
  type Json,
  legacy,
  type Message,
  messageIn,
  modern,
  ProtocolError,
  resultIn,
  revisionOf,
} from "./protocol.ts";
import { ArgumentError, type Call, type Property, type Tool, tools } from "./tools.ts";

/** The largest message, in bytes. */
const maximumMessage = 64 * 1024;

/** The largest answer of the API that a tool reads, in bytes: 50 hosts can have a hundred times as much. */
const maximumAnswer = 4 * 1024 * 1024;

/** The API, which serves what tools ask for. */
interface Api {
  fetch(request: Request, env: WorkerEnv, context: ExecutionContext): Response | Promise<Response>;
}

/** Headers of the caller that count for the request inside. */
const passedOn = ["Authorization", "CF-Connecting-IP"];

/** Headers of the response inside that are those of the whole. */
const passedBack = ["RateLimit", "RateLimit-Policy", "Retry-After", "WWW-Authenticate"];

/**
 * POST /mcp: the Model Context Protocol for assistants (API contract, section 14), in the revisions 2026-07-28 and
 * 2025-11-25. Each message is one request to the API inside the Worker, with the caller's key: the same checks, limits
 * and queries, and one call to the database.
 */
export const serves = (api: Api) => ({
  serve: factory.createHandlers(async (c) => {
    const ask = (call: Call) => inside(api, c, call);
    let id: Message["id"] = null;
    try {
      refuseForeignOrigin(c);
      if ("reason" in presentedKey(c.req.raw)) {
        // Nothing is read of who has no key.
        return await ask(whoami);
      }
      const message = messageIn(await textOf(c));
      ({ id } = message);
      return await answer(c, message, ask);
    } catch (error) {
      if (!(error instanceof ProtocolError)) {
        throw error;
      }
      // The key goes first, and the request counts.
      const response = error.status === 403 ? null : await ask(whoami);
      return response?.ok === false ? response : failed(c, id, error);
    }
  }),
});

type Ask = (call: Call) => Promise<Response>;

const whoami: Call = { method: "GET", path: "auth/whoami" };

/** @throws {ProtocolError} where the message is not as its revision asks for, or there is no such method or tool */
async function answer(c: Context<AppEnv>, message: Message, ask: Ask): Promise<Response> {
  const { id, method } = message;
  const revision = revisionOf(c, message);
  if (id === null) {
    const response = await ask(whoami);
    return response.ok ? c.body(null, 202) : response;
  }
  const result =
    method === "tools/call"
      ? await callTool(c, message, ask)
      : await described(c, message, revision, ask);
  if (result instanceof Response) {
    return result;
  }
  const isKept = method === "server/discover" || method === "tools/list";
  const version = c.var.serverVersion;
  return c.json({ jsonrpc: "2.0", id, result: resultIn(revision, result, { version, isKept }) });
}

/** What describes the server, to a caller with a key. */
async function described(
  c: Context<AppEnv>,
  { method }: Message,
  revision: string,
  ask: Ask,
): Promise<object | Response> {
  const isListing = method === "tools/list";
  const results: Readonly<Record<string, object>> =
    revision === modern
      ? { "server/discover": discovered }
      : { initialize: initialized(c.var.serverVersion), ping: {} };
  const result = Object.hasOwn(results, method) ? results[method] : undefined;
  if (!(isListing || result)) {
    throw new ProtocolError(
      "methodNotFound",
      `There is no method ${JSON.stringify(method.slice(0, 100))} in ${revision}: this server has tools/list and tools/call.`,
      { status: revision === legacy ? 200 : 404 },
    );
  }
  const response = await ask(whoami);
  if (!response.ok) {
    return response;
  }
  passBack(c, response);
  return result ?? { tools: listed(permissionsIn(await response.json()) !== "Viewer") };
}

function permissionsIn(body: unknown): unknown {
  const data = isObject(body) && isObject(body["data"]) ? body["data"] : {};
  return isObject(data["api_key"]) ? data["api_key"]["permissions"] : undefined;
}

/** The tools as a model reads them. */
const listed = (mayChange: boolean) =>
  Object.entries(tools)
    .filter(([, { changes }]) => mayChange || !changes)
    .map(([name, { title, description, properties, required, changes }]) => ({
      name,
      title,
      description,
      inputSchema: {
        type: "object",
        properties,
        ...(required && { required }),
        additionalProperties: false,
      },
      annotations: {
        readOnlyHint: !changes,
        destructiveHint: false,
        openWorldHint: changes === true,
      },
    }));

/**
 * What a tool shows. Whatever the API refuses is a result, too, as a model sees no other errors; but for a bad key.
 * Network texts are always inside a JSON string.
 * @throws {ProtocolError} where there is no such tool
 */
async function callTool(c: Context<AppEnv>, { params }: Message, ask: Ask) {
  const { name, arguments: sent = {} } = params;
  const tool = typeof name === "string" && Object.hasOwn(tools, name) ? tools[name] : undefined;
  if (!tool || !isObject(sent)) {
    throw new ProtocolError(
      "invalidParams",
      tool
        ? "arguments must be an object."
        : `There is no such tool. The tools are ${Object.keys(tools).join(", ")}.`,
    );
  }
  try {
    refuseUnsuitable(tool, sent);
    const response = await ask(tool.call(sent));
    if (response.status === 401) {
      return response;
    }
    passBack(c, response);
    const body = await bodyOf(response);
    if (!isObject(body)) {
      throw new Error("The API answered without its envelope.");
    }
    return response.ok ? shown(tool.show(body, sent), false) : shown(refusal(body), true);
  } catch (error) {
    if (error instanceof ArgumentError) {
      return shown({ error: error.message }, true);
    }
    throw error;
  }
}

/**
 * What the API answered. It streams what is large, so that no isolate ever holds it; here it would.
 * @throws {ArgumentError} where it is more than may be held, or broke off
 */
async function bodyOf(response: Response): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > maximumAnswer) {
        break;
      }
      text += decoder.decode(chunk, { stream: true });
    }
  } catch {
    throw new ArgumentError("The result broke off: call the tool again.");
  }
  if (bytes > maximumAnswer) {
    throw new ArgumentError(
      "This is too much to read at once: narrow it with limit, or have find show only fields such as id and name. What is on one host, find shows by kind.",
    );
  }
  return JSON.parse(text + decoder.decode());
}

const shown = (value: object, isError: boolean) => ({
  content: [{ type: "text", text: JSON.stringify(value) }],
  isError,
});

/** A failure of the API as a model reads it, where arguments are no query and no body. */
const refusal = ({ code, error }: Json) => ({
  code,
  error: String(error).replaceAll(/\b(query|body|path)\./g, ""),
});

/** @throws {ArgumentError} where an argument is none of the tool's, or of another form, or a required one is missing */
function refuseUnsuitable({ properties, required = [] }: Tool, sent: Json): void {
  const missing = required.find((name) => sent[name] === undefined);
  if (missing !== undefined) {
    throw new ArgumentError(`The argument ${missing} is missing.`);
  }
  for (const [name, value] of Object.entries(sent)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!property) {
      throw new ArgumentError(
        `There is no argument ${JSON.stringify(name.slice(0, 100))}: the arguments are ${Object.keys(properties).join(", ")}.`,
      );
    }
    const fault = faultOf(property, value);
    if (fault !== null) {
      throw new ArgumentError(`${name} must be ${fault}.`);
    }
  }
}

/** What an argument must be that it is not. Bounds are those of tools: the API takes larger pages. */
function faultOf({ type, minimum = 0, maximum = 0 }: Property, value: unknown): string | null {
  switch (type) {
    case "integer": {
      const isWithin = typeof value === "number" && value >= minimum && value <= maximum;
      return Number.isInteger(value) && isWithin
        ? null
        : `a whole number from ${minimum} to ${maximum}`;
    }
    case "string":
      // Models send a port as a number, too.
      return typeof value === "string" || typeof value === "number" ? null : "a text";
    case "boolean":
      return typeof value === "boolean" ? null : "true or false";
    case "array":
      return Array.isArray(value) && value.every((one) => typeof one === "string")
        ? null
        : "an array of texts";
  }
}

/** A request to the API inside the Worker, by the same caller. */
async function inside(api: Api, c: Context<AppEnv>, { method, path, query = {}, json }: Call) {
  const url = new URL(`/api/v1/${path}`, c.req.url);
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) {
        url.searchParams.append(name, typeof one === "object" ? JSON.stringify(one) : String(one));
      }
    }
  }
  const headers = new Headers({ "X-Request-Id": c.var.requestId });
  for (const name of passedOn) {
    const value = c.req.header(name);
    if (value !== undefined) {
      headers.set(name, value);
    }
  }
  if (json) {
    headers.set("Content-Type", "application/json");
  }
  const request = new Request(url, {
    method,
    headers,
    signal: c.req.raw.signal,
    ...(json && { body: JSON.stringify(json) }),
  });
  return await api.fetch(request, c.env, c.executionCtx);
}

function passBack(c: Context<AppEnv>, response: Response): void {
  for (const name of passedBack) {
    const value = response.headers.get(name);
    if (value !== null) {
      c.header(name, value);
    }
  }
}

/** Pages of other origins may not use a key that a browser has, or reach a local server by its name. */
function refuseForeignOrigin(c: Context<AppEnv>): void {
  const origin = c.req.header("Origin");
  const isOwn = origin === undefined || origin === new URL(c.req.url).origin;
  if (!isOwn && !c.var.settings.CORS_ORIGINS.includes(origin)) {
    throw new ProtocolError("invalidRequest", "This origin may not use the server.", {
      status: 403,
    });
  }
}

/**
 * The message of a request.
 * @throws {ApiError} 408, 413, 415
 */
async function textOf(c: Context<AppEnv>): Promise<string> {
  const mediaType = c.req.header("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (mediaType !== "application/json") {
    throw new ApiError("request_unsupported_media_type", { media_types: ["application/json"] });
  }
  const bytes = await readBytes(
    c.req.raw,
    async () => new Uint8Array(maximumMessage),
    maximumMessage,
  );
  return new TextDecoder().decode(bytes);
}

const failed = (
  c: Context<AppEnv>,
  id: Message["id"],
  { code, message, data, status }: ProtocolError,
) =>
  c.json(
    { jsonrpc: "2.0", ...(id !== null && { id }), error: { code, message, ...(data && { data }) } },
    status,
  );

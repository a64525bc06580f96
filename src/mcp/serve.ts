import type { Context, ExecutionContext } from "hono";
import type { WorkerEnv } from "../env.ts";
import { ApiError } from "../errors/errors.ts";
import { readBytes } from "../http/body/body-bytes.ts";
import { type AppEnv, factory } from "../http/factory.ts";
import { wasGoodRecently } from "../http/limits/rate-limit.ts";
import { type GiveBack, Slots } from "../http/limits/slots.ts";
import { presentedKey } from "../http/presented-key.ts";
import { ArgumentError, jsonSchemaOf } from "./arguments.ts";
import {
  discovered,
  initialized,
  isObject,
  isUntitled,
  type Json,
  type Message,
  messageIn,
  modern,
  ProtocolError,
  type Revision,
  resultIn,
  revisionOf,
} from "./protocol.ts";
import { type Call, Step, type Tool, tools } from "./tools.ts";

/** Maximum size of a message, in bytes. */
const maximumMessage = 64 * 1024;

/**
 * Maximum size of an API response that a tool reads, in bytes. The response for 50 hosts can be a
 * hundred times larger than this.
 */
const maximumAnswer = 4 * 1024 * 1024;

/** Maximum size of a response, in bytes. */
export const maximumResponse = 1024 * 1024;

/**
 * Size, in bytes, above which an API response needs a slot of {@link largeAnswers} before the rest
 * is read.
 */
const smallAnswer = 64 * 1024;

/**
 * Slots for large API responses in this isolate, by key. Each response takes several times its size
 * in memory while it is parsed and formatted. The wait is shorter than the 30 seconds after which
 * the API ends an unread stream.
 */
const largeAnswers = new Slots({ perHolder: 1, perIsolate: 2, expiresMs: 60_000, waitMs: 10_000 });

/** The API that serves tools' requests. */
interface Api {
  fetch(request: Request, env: WorkerEnv, context: ExecutionContext): Response | Promise<Response>;
}

/** Headers of the caller that are copied to the inner request. */
const passedOn = ["Authorization", "CF-Connecting-IP"];

/** Headers of the inner response that are copied to the outer response. */
const passedBack = ["RateLimit", "RateLimit-Policy", "Retry-After", "WWW-Authenticate"];

/**
 * POST /mcp: the Model Context Protocol for assistants (API contract, section 14). Each message
 * becomes a request to the API inside the Worker, with the caller's key. The same checks, limits
 * and queries apply, and the request takes one database call.
 */
export const serves = (api: Api) => ({
  serve: factory.createHandlers(async (c) => {
    let isJudged = false;
    const ask = async (call: Call) => {
      isJudged = true;
      const response = await inside(api, c, call);
      passBack(c, response);
      return response;
    };
    let id: Message["id"] = null;
    let holder: LargeAnswerHolder | null = null;
    try {
      const presented = await presentedKey(c);
      if (presented instanceof ApiError) {
        // Without a key, the body is not read.
        return await ask(whoami);
      }
      const { hash: keyHash } = presented;
      refuseForeignOrigin(c);
      const message = messageIn(await bytesOf(c));
      ({ id } = message);
      const isKnown = () => wasGoodRecently(c.var.settings, keyHash);
      holder = new LargeAnswerHolder(keyHash);
      return await answer(c, message, ask, { isKnown, holder });
    } catch (error) {
      // The key is checked first, and even an invalid message counts against the limits (API
      // contract, section 2).
      const response = isJudged ? null : await ask(whoami);
      if (response?.ok === false) {
        return response;
      }
      if (error instanceof ProtocolError) {
        return failed(c, id, error);
      }
      throw error;
    } finally {
      holder?.release();
    }
  }),
});

/**
 * One message's slot in {@link largeAnswers}, held from its first large API response until its own
 * response.
 */
class LargeAnswerHolder {
  readonly #keyHash: string;
  #release: GiveBack | null = null;

  constructor(keyHash: string) {
    this.#keyHash = keyHash;
  }

  /** @throws {ArgumentError} if no slot becomes free in time */
  readonly needSlot = async (): Promise<void> => {
    this.#release ??= await largeAnswers.take(this.#keyHash);
    if (this.#release === null) {
      throw new ArgumentError(
        "Too many large results are in progress: call the tool again after 5 seconds, or request less data with limit and fields.",
      );
    }
  };

  release(): void {
    this.#release?.();
  }
}

type Ask = (call: Call) => Promise<Response>;

/** Returns true if the API has accepted the key, in this message or recently. */
type IsKnown = () => boolean;

const whoami: Call = { method: "GET", path: "auth/whoami" };

/**
 * @throws {ProtocolError} if the message violates its revision, or if the method or the tool is
 *   unknown
 */
async function answer(
  c: Context<AppEnv>,
  message: Message,
  ask: Ask,
  caller: { isKnown: IsKnown; holder: LargeAnswerHolder },
): Promise<Response> {
  const { id, method } = message;
  const revision = revisionOf(c, message);
  if (id === null) {
    const response = await ask(whoami);
    return response.ok ? c.body(null, 202) : response;
  }
  const result =
    method === "tools/call"
      ? await callTool(message, revision, ask, caller)
      : await described(c, message, revision, ask);
  if (result instanceof Response) {
    return result;
  }
  const isKept = method === "server/discover" || method === "tools/list";
  const version = c.var.serverVersion;
  const responseOf = (value: object) =>
    JSON.stringify({
      jsonrpc: "2.0",
      id,
      result: resultIn(revision, value, { version, isKept }),
    });
  const text = responseOf(result);
  const isTooLarge = new TextEncoder().encode(text).length > maximumResponse;
  return c.body(isTooLarge ? responseOf(toolResult({ error: tooMuch }, true)) : text, 200, {
    "Content-Type": "application/json",
  });
}

const tooMuch =
  "The result is too large: lower limit, or request fewer fields, such as only id and name. For the children of one host, use find with their kind.";

/** Serves the methods that describe the server, for callers with a valid key. */
async function described(
  c: Context<AppEnv>,
  { method }: Message,
  revision: Revision,
  ask: Ask,
): Promise<object | Response> {
  const isListing = method === "tools/list";
  const results: Readonly<Record<string, object>> =
    revision === modern
      ? { "server/discover": discovered }
      : { initialize: initialized(revision, c.var.serverVersion), ping: {} };
  const result = Object.hasOwn(results, method) ? results[method] : undefined;
  if (!(isListing || result)) {
    throw new ProtocolError(
      "methodNotFound",
      `Unknown method ${JSON.stringify(method.slice(0, 100))} in ${revision}: this server has tools/list and tools/call.`,
      { status: revision === modern ? 404 : 200 },
    );
  }
  const response = await ask(whoami);
  if (!response.ok) {
    return response;
  }
  return result ?? { tools: listed(revision, await toolsOf(response)) };
}

/**
 * The tools of a caller, by name.
 * @param response the API's response to {@link whoami}
 */
async function toolsOf(response: Response): Promise<[string, Tool][]> {
  const mayChange = permissionsIn(await response.json()) !== "Viewer";
  return Object.entries(tools).filter(([, { changes }]) => mayChange || !changes);
}

function permissionsIn(body: unknown): unknown {
  const data = isObject(body) && isObject(body["data"]) ? body["data"] : {};
  const own = data["token"] ?? data["api_key"];
  return isObject(own) ? own["permissions"] : undefined;
}

/** The tools in the format of `tools/list`. */
const listed = (revision: Revision, own: readonly [string, Tool][]) =>
  own.map(([name, { title, description, input, changes }]) => ({
    name,
    ...(!isUntitled(revision) && { title }),
    description,
    inputSchema: jsonSchemaOf(input),
    annotations: {
      ...(isUntitled(revision) && { title }),
      readOnlyHint: !changes,
      destructiveHint: false,
      openWorldHint: changes === true,
    },
  }));

/**
 * Calls a tool. Returns API errors as tool results, because a model does not see protocol errors.
 * The exception is an invalid key. Text from the network is always inside a JSON string.
 * @throws {ProtocolError} if the tool is unknown
 */
async function callTool(
  { params }: Message,
  revision: Revision,
  ask: Ask,
  { isKnown, holder }: { isKnown: IsKnown; holder: LargeAnswerHolder },
) {
  const { name, arguments: sent = {} } = params;
  const tool = typeof name === "string" && Object.hasOwn(tools, name) ? tools[name] : undefined;
  const status = revision === modern ? 400 : 200;
  if (!tool) {
    const response = await ask(whoami);
    if (!response.ok) {
      return response;
    }
    const names = (await toolsOf(response)).map(([known]) => known).join(", ");
    throw new ProtocolError("invalidParams", `Unknown tool. The tools are ${names}.`, { status });
  }
  if (!isObject(sent)) {
    throw new ProtocolError("invalidParams", "arguments must be an object.", { status });
  }
  let next: Step | ArgumentError = begun(tool, sent);
  for (;;) {
    const response = await ask(next instanceof Step ? next.call : whoami);
    // An error that occurred before the key was checked, such as an exceeded per-address rate
    // limit, is not returned as a result.
    if (response.status === 401 || !(response.ok || isKnown())) {
      return response;
    }
    try {
      const body = await bodyOf(response, holder.needSlot);
      if (!isObject(body)) {
        throw new Error("The API responded without its envelope.");
      }
      if (!response.ok) {
        return toolResult(refusal(body), true);
      }
      if (next instanceof ArgumentError) {
        return toolResult({ error: next.message }, true);
      }
      const result: object | Step = next.show(body);
      if (!(result instanceof Step)) {
        return toolResult(result, false);
      }
      next = result;
    } catch (error) {
      if (error instanceof ArgumentError) {
        return toolResult({ error: error.message }, true);
      }
      throw error;
    }
  }
}

/**
 * The first step of a tool, or the error in its arguments, which only a caller with a valid key may
 * see.
 */
function begun(tool: Tool, sent: Json): Step | ArgumentError {
  try {
    return tool.begin(sent);
  } catch (error) {
    if (error instanceof ArgumentError) {
      return error;
    }
    throw error;
  }
}

/**
 * Reads an API response. Text is returned as the `data` of an object. The API streams large
 * responses, so their size must be limited here.
 * @param needSlot waits for a slot, called when the response turns out to be large
 * @throws {ArgumentError} if it is too large or was truncated; also throws errors of `needSlot`
 */
async function bodyOf(response: Response, needSlot: () => Promise<void>): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > maximumAnswer) {
        break;
      }
      if (bytes > smallAnswer) {
        await needSlot();
      }
      text += decoder.decode(chunk, { stream: true });
    }
  } catch (error) {
    throw error instanceof ArgumentError
      ? error
      : new ArgumentError("The result was truncated: call the tool again.");
  }
  if (bytes > maximumAnswer) {
    throw new ArgumentError(tooMuch);
  }
  const whole = text + decoder.decode();
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
  return isJson ? JSON.parse(whole) : { data: whole };
}

const toolResult = (value: object, isError: boolean) => ({
  content: [{ type: "text", text: JSON.stringify(value) }],
  isError,
});

/**
 * An API error for a model, without the names of request parts, since tools have only arguments.
 */
const refusal = ({ code, error }: Json) => ({
  code,
  error: String(error).replaceAll(/\b(query|body|path)\./g, ""),
});

/** Sends a request to the API inside the Worker, as the same caller. */
async function inside(
  api: Api,
  c: Context<AppEnv>,
  { method, path, query = {}, json, accept }: Call,
) {
  const url = new URL(`/api/v1/${path}`, c.req.url);
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) {
        url.searchParams.append(name, String(one));
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
  if (accept !== undefined) {
    headers.set("Accept", accept);
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

/**
 * Rejects requests from pages on other origins, which could use a browser's key or reach a local
 * server through DNS rebinding.
 */
function refuseForeignOrigin(c: Context<AppEnv>): void {
  const origin = c.req.header("Origin");
  const isOwn = origin === undefined || origin === new URL(c.req.url).origin;
  if (!isOwn && !c.var.settings.CORS_ORIGINS.includes(origin)) {
    throw new ProtocolError("invalidRequest", "This origin is not allowed.", {
      status: 403,
    });
  }
}

/**
 * Reads the body of a request.
 * @throws {ApiError} 408, 413, 415
 */
async function bytesOf(c: Context<AppEnv>): Promise<Uint8Array> {
  const mediaType = c.req.header("Content-Type")?.split(";")[0]?.trim().toLowerCase();
  if (mediaType !== "application/json") {
    throw new ApiError("request_unsupported_media_type", { media_types: ["application/json"] });
  }
  return await readBytes(c.req.raw, async () => new Uint8Array(maximumMessage), maximumMessage);
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

import type * as z from "zod";
import type { ErrorCode } from "../errors/errors.ts";
import {
  type Facts,
  factsOf,
  type RequestHeader,
  type ResponseHeader,
  type ResponseStatus,
} from "../http/declares.ts";
import { stepsOf } from "../http/on-first-request.ts";
import type { Role } from "../roles.ts";

/** A route of the app, as listed by Hono: one entry per step. */
interface Route {
  method: string;
  path: string;
  handler: object;
}

/** The part of an app that lists its routes. */
export interface Routes {
  routes: readonly Route[];
}

/** The declarations of an endpoint's steps. */
export interface Endpoint {
  method: string;
  /** In OpenAPI's format, such as `/api/v1/daemons/{id}`. */
  path: string;
  /** The step that responds. */
  handler: object;
  verb: Facts["verb"];
  /** The minimum role, or `Operator` for an operator key; null if no key is needed. */
  role: Role | "Operator" | null;
  /** Statuses below 400 with their headers. One of them is the success status, 200 or 201. */
  responses: Map<ResponseStatus, ReadonlySet<ResponseHeader>>;
  requestHeaders: readonly RequestHeader[];
  hasCursor: boolean;
  hasPages: boolean;
  hasTags: boolean;
  isUnpaged: boolean;
  bareType: Facts["bareType"];
  errors: ErrorCode[];
  param: z.ZodType | undefined;
  query: z.ZodType | undefined;
  json: z.ZodType | undefined;
  patched: Facts["patched"];
  jsonTypes: Facts["jsonTypes"];
  otherForm: Facts["otherForm"];
  otherForms: Facts["otherForms"];
}

/** Errors of every operation: a bug, an unavailable database, an invalid configuration. */
const alwaysPossible = ["internal_error", "service_unavailable"] as const;

/**
 * The endpoints of the API, which are the routes below /api. Other routes are web pages.
 * `loadSteps` must have been called.
 */
export function endpointsOf(app: Routes): Endpoint[] {
  const steps = new Map<string, [Route, ...Route[]]>();
  for (const route of app.routes) {
    if (route.method !== "ALL" && route.path.startsWith("/api/")) {
      const key = `${route.method} ${route.path}`;
      for (const handler of stepsOf(route.handler)) {
        steps.set(key, [{ ...route, handler }, ...(steps.get(key) ?? [])]);
      }
    }
  }
  return [...steps.values()].map(endpointOf);
}

/** @param steps from the last to the first */
function endpointOf(steps: readonly [Route, ...Route[]]): Endpoint {
  const [{ method, path, handler }] = steps;
  const facts = steps.map((step) => factsOf(step.handler)).reverse();
  const first = <
    Name extends
      | "role"
      | "verb"
      | "param"
      | "query"
      | "json"
      | "patched"
      | "jsonTypes"
      | "otherForm"
      | "otherForms"
      | "bareType",
  >(
    name: Name,
  ) => facts.find((fact) => fact[name] !== undefined)?.[name];
  return {
    method,
    path: path.replaceAll(/:(\w+)/g, "{$1}"),
    handler,
    verb: first("verb"),
    role: first("role") ?? null,
    responses: responsesOf(facts),
    requestHeaders: facts.flatMap(({ requestHeaders }) => requestHeaders ?? []),
    hasCursor: facts.some(({ hasCursor }) => hasCursor),
    hasPages: facts.some(({ hasPages }) => hasPages),
    hasTags: facts.some(({ hasTags }) => hasTags),
    isUnpaged: facts.some(({ isUnpaged }) => isUnpaged),
    bareType: first("bareType"),
    errors: [...facts.flatMap(({ errors }) => errors ?? []), ...alwaysPossible],
    param: first("param"),
    query: first("query"),
    json: first("json"),
    patched: first("patched"),
    jsonTypes: first("jsonTypes"),
    otherForm: first("otherForm"),
    otherForms: first("otherForms"),
  };
}

const statuses = [200, 201, 304] as const;

/**
 * Merges the responses that the steps declare. The success status is 200 unless a step declares
 * 201.
 */
function responsesOf(facts: readonly Facts[]): Endpoint["responses"] {
  const declared: Endpoint["responses"] = new Map();
  for (const status of statuses) {
    const headers = facts.flatMap(({ responses }) => responses?.[status] ?? []);
    if (facts.some(({ responses }) => responses?.[status])) {
      declared.set(status, new Set(headers));
    }
  }
  return declared.has(200) || declared.has(201)
    ? declared
    : new Map([[200, new Set()], ...declared]);
}

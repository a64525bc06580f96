import type * as z from "zod";
import type { ErrorCode } from "../errors.ts";
import { factsOf } from "../http/declares.ts";
import type { Role } from "../roles.ts";
import { type Description, describedHandlers, descriptionOf } from "./describe.ts";

/** A route of the app, as Hono lists it: one entry per step. */
interface Route {
  method: string;
  path: string;
  handler: object;
}

/** An endpoint with all that is known of it. */
export interface Endpoint {
  method: string;
  /** In OpenAPI's form: `/api/v1/daemons/{id}`. */
  path: string;
  description: Description<unknown>;
  role: Role | null;
  errors: ErrorCode[];
  param: z.ZodType | undefined;
  query: z.ZodType | undefined;
  json: z.ZodType | undefined;
}

/** What every operation can answer: a bug, a dead database, an unusable configuration. */
const alwaysPossible = ["internal_error", "service_unavailable"] as const;

/**
 * The endpoints of the API: the routes below /api. The others are pages for people.
 * @throws {Error} when an endpoint lacks a description, or a description its endpoint
 */
export function endpointsOf(app: { routes: readonly Route[] }): Endpoint[] {
  const steps = new Map<string, Route[]>();
  for (const route of app.routes) {
    if (route.method !== "ALL" && route.path.startsWith("/api/")) {
      const key = `${route.method} ${route.path}`;
      steps.set(key, [...(steps.get(key) ?? []), route]);
    }
  }
  const endpoints = [...steps.values()].map(endpointOf);
  const handlers = new Set(app.routes.map(({ handler }) => handler));
  for (const [handler, { operationId }] of describedHandlers()) {
    if (!handlers.has(handler)) {
      throw new Error(`The description ${operationId} has no endpoint.`);
    }
  }
  return endpoints;
}

function endpointOf(steps: Route[]): Endpoint {
  const last = steps.at(-1);
  const description = last && descriptionOf(last.handler);
  if (!description) {
    throw new Error(`${last?.method} ${last?.path} has no description: call describeOperation.`);
  }
  const facts = steps.map(({ handler }) => factsOf(handler));
  const first = <Name extends "role" | "param" | "query" | "json">(name: Name) =>
    facts.find((fact) => fact[name] !== undefined)?.[name];
  return {
    method: last.method,
    path: last.path.replaceAll(/:(\w+)/g, "{$1}"),
    description,
    role: first("role") ?? null,
    errors: [...facts.flatMap(({ errors }) => errors ?? []), ...alwaysPossible],
    param: first("param"),
    query: first("query"),
    json: first("json"),
  };
}

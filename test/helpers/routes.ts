import type * as z from "zod";
import { app } from "../../src/app.ts";
import type { ErrorCode } from "../../src/errors/errors.ts";
import { type Facts, factsOf } from "../../src/http/declares.ts";
import { loadSteps, stepsOf } from "../../src/http/on-first-request.ts";
import type { Role } from "../../src/roles.ts";

/** A route of the API, with the facts that its steps declare. */
export interface Route {
  /** As in `app.ts`: `PUT /api/v1/credentials/:id`. */
  name: string;
  method: string;
  path: string;
  /** The minimum role, or `Operator` for an operator key; null if no key is needed. */
  role: Role | "Operator" | null;
  errors: readonly ErrorCode[];
  param: z.ZodType | undefined;
  query: z.ZodType | undefined;
  json: z.ZodType | undefined;
  /** The declarations of its steps, in order. */
  steps: readonly Facts[];
}

function allRoutes(): Route[] {
  const steps = new Map<string, { method: string; path: string; facts: Facts[] }>();
  for (const { method, path, handler } of app.routes) {
    if (method !== "ALL" && path.startsWith("/api/")) {
      const name = `${method} ${path}`;
      const route = steps.get(name) ?? { method, path, facts: [] };
      route.facts.push(...stepsOf(handler).map(factsOf));
      steps.set(name, route);
    }
  }
  return [...steps].map(([name, { method, path, facts }]) => ({
    name,
    method,
    path,
    role: facts.find(({ role }) => role)?.role ?? null,
    errors: facts.flatMap(({ errors }) => errors ?? []),
    param: facts.find(({ param }) => param)?.param,
    query: facts.find(({ query }) => query)?.query,
    json: facts.find(({ json }) => json)?.json,
    steps: facts,
  }));
}

await loadSteps(app);

/** Every route of the API in the app. Pages for people are not included. */
export const routes: readonly Route[] = allRoutes();

/**
 * The route with a name such as `PUT /api/v1/credentials/:id`.
 * @throws {Error} if the app has none
 */
export function routeOf(name: string): Route {
  const route = routes.find((one) => one.name === name);
  if (!route) {
    throw new Error(`The app has no route ${name}.`);
  }
  return route;
}

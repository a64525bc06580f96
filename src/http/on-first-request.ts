import type { Context, MiddlewareHandler, Next } from "hono";
import { every } from "hono/combine";

/** The steps of an endpoint, as created by `factory.createHandlers`. */
type Steps = readonly ((...parts: never[]) => unknown)[];

/** The names of the endpoints that a module exports. */
type EndpointOf<Module> = {
  [Name in keyof Module]: Module[Name] extends Steps ? Name : never;
}[keyof Module];

/** The steps of a handler whose module is loaded on the first request to it. */
class LateSteps {
  loaded: readonly MiddlewareHandler[] | null = null;
  readonly #find: () => Promise<readonly MiddlewareHandler[]>;

  constructor(find: () => Promise<readonly MiddlewareHandler[]>) {
    this.#find = find;
  }

  async load(): Promise<readonly MiddlewareHandler[]> {
    this.loaded ??= await this.#find();
    return this.loaded;
  }
}

const lateSteps = new WeakMap<object, LateSteps>();

/**
 * Evaluates a module on the first request to one of its endpoints instead of at Worker startup,
 * since building its schemas and tables takes milliseconds. The module is part of the same script,
 * so requests do not wait for another file.
 * @returns a function that maps the name of an endpoint to its steps
 * @example
 * const tags = onFirstRequest(() => import("./tags/routes.ts"));
 * app.get("/api/v1/tags", ...tags("list"));
 */
export function onFirstRequest<Module extends object>(load: () => Promise<Module>) {
  return <Name extends EndpointOf<Module>>(name: Name): Module[Name] => {
    // Every step is a middleware. The module's type is more specific, for Hono's type inference.
    const steps = new LateSteps(
      async () => (await load())[name] as unknown as readonly MiddlewareHandler[],
    );
    let run: MiddlewareHandler | undefined;
    const handler = async (c: Context, next: Next) => {
      run ??= every(...(await steps.load()));
      return run(c, next);
    };
    lateSteps.set(handler, steps);
    // This is one handler that runs all steps, but it has the type of the steps themselves.
    return [handler] as unknown as Module[Name];
  };
}

/** Loads the modules of an app's handlers, which {@link stepsOf} requires. */
export async function loadSteps(app: { routes: readonly { handler: object }[] }): Promise<void> {
  await Promise.all(app.routes.map(({ handler }) => lateSteps.get(handler)?.load()));
}

/**
 * The steps of an app's handler: the handler itself, unless {@link onFirstRequest} created it.
 * @throws {Error} if {@link loadSteps} has not been called
 */
export function stepsOf(handler: object): readonly object[] {
  const late = lateSteps.get(handler);
  if (late?.loaded === null) {
    throw new Error("The handler's module is not loaded yet: await loadSteps first.");
  }
  return late?.loaded ?? [handler];
}

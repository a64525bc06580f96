import type { Context, MiddlewareHandler, Next } from "hono";
import { every } from "hono/combine";

/** The steps of an endpoint, as `factory.createHandlers` makes them. */
type Steps = readonly ((...parts: never[]) => unknown)[];

/** The names of the endpoints that a module exports. */
type EndpointOf<Module> = {
  [Name in keyof Module]: Module[Name] extends Steps ? Name : never;
}[keyof Module];

/** What a handler stands for whose module is loaded with the first request. */
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
 * A module of endpoints that runs with the first request to one of them, and not at the start of the
 * Worker: building its schemas and tables takes milliseconds. It is in the same script all the same, so
 * no request waits for another file.
 * @returns the steps of one of its endpoints, by name
 * @example
 * const tags = onFirstRequest(() => import("./tags/routes.ts"));
 * app.get("/api/v1/tags", ...tags("list"));
 */
export function onFirstRequest<Module extends object>(load: () => Promise<Module>) {
  return <Name extends EndpointOf<Module>>(name: Name): Module[Name] => {
    // Every step is a middleware; the type of the module says more, which Hono infers from.
    const steps = new LateSteps(
      async () => (await load())[name] as unknown as readonly MiddlewareHandler[],
    );
    let run: MiddlewareHandler | undefined;
    const handler = async (c: Context, next: Next) => {
      run ??= every(...(await steps.load()));
      return run(c, next);
    };
    lateSteps.set(handler, steps);
    // One step that does what all of them do, for those who see the types.
    return [handler] as unknown as Module[Name];
  };
}

/** Loads what the handlers of an app stand for, so that {@link stepsOf} can tell. */
export async function loadSteps(app: { routes: readonly { handler: object }[] }): Promise<void> {
  await Promise.all(app.routes.map(({ handler }) => lateSteps.get(handler)?.load()));
}

/**
 * The steps that a handler of an app stands for: itself, unless it is one of {@link onFirstRequest}.
 * @throws {Error} before {@link loadSteps}
 */
export function stepsOf(handler: object): readonly object[] {
  const late = lateSteps.get(handler);
  if (late?.loaded === null) {
    throw new Error("Its module is not loaded yet: await loadSteps first.");
  }
  return late?.loaded ?? [handler];
}

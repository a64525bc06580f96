import { Hono } from "hono";
import { expect, test, vi } from "vitest";
import { factory } from "../../src/http/factory.ts";
import { loadSteps, onFirstRequest, stepsOf } from "../../src/http/on-first-request.ts";

const middleware = factory.createMiddleware(async (c, next) => {
  await next();
  c.header("X-Step", c.req.path);
});
const read = factory.createHandlers(middleware, (c) => c.text(c.req.param("id") ?? "none"));

/**
 * An app with one endpoint that is loaded on its first request, and the mock that loads its module.
 */
function appOf() {
  const load = vi.fn(async () => ({ read }));
  const things = onFirstRequest(load);
  const app = new Hono()
    .use((_, next) => next())
    .get("/things/:id", ...things("read"))
    .get("/none", (c) => c.text(""));
  return { app, load };
}

test("a module is loaded on the first request to its endpoint, and only once", async () => {
  const { app, load } = appOf();
  await app.request("/none");
  expect(load).not.toHaveBeenCalled();
  await app.request("/things/1");
  await app.request("/things/2");
  expect(load).toHaveBeenCalledOnce();
});

test("every step of an endpoint runs with the path parameters", async () => {
  const { app } = appOf();
  const response = await app.request("/things/7");
  expect(await response.text()).toBe("7");
  expect(response.headers.get("X-Step")).toBe("/things/7");
});

test("an app's steps are not available until they have been loaded", async () => {
  const { app, load } = appOf();
  const handlers = app.routes.map(({ handler }) => handler);
  expect(() => handlers.flatMap(stepsOf)).toThrow("await loadSteps first");
  await loadSteps(app);
  expect(load).toHaveBeenCalledOnce();
  expect(handlers.flatMap(stepsOf)).toEqual([handlers[0], ...read, handlers[2]]);
});

test("a request fails if a module cannot be loaded, and the next request tries to load it again", async () => {
  const load = vi.fn(async () => ({ read }));
  load.mockRejectedValueOnce(new Error("broken"));
  const app = new Hono().get("/things/:id", ...onFirstRequest(load)("read"));
  app.onError((error, c) => c.text(error.message, 500));
  expect((await app.request("/things/1")).status).toBe(500);
  expect((await app.request("/things/1")).status).toBe(200);
});

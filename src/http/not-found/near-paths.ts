import type { Hono } from "hono";
import * as z from "zod";
import { factsOf } from "../declares.ts";
import type { AppEnv } from "../factory.ts";
import { loadSteps, stepsOf } from "../on-first-request.ts";
import { nearest } from "./nearest.ts";

const uuid = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi;

/**
 * Normalizes a path: removes `/api/v1` and slashes at both ends, and replaces ids with
 * placeholders.
 */
const comparable = (path: string) =>
  path
    .replace(uuid, "{id}")
    .replaceAll(/:(\w+)/g, "{$1}")
    .replace(/^(\/api)?(\/v1)?\//, "")
    .replace(/\/$/, "");

/** The API's paths in the OpenAPI document's notation, by their normalized form. */
const pathsOf = (app: Hono<AppEnv>, method?: string): ReadonlyMap<string, string> =>
  new Map(
    app.routes.flatMap((route) =>
      route.path.startsWith("/api/") &&
      route.method !== "ALL" &&
      (method === undefined || route.method === method)
        ? [[comparable(route.path), route.path.replaceAll(/:(\w+)/g, "{$1}")]]
        : [],
    ),
  );

/** The names of collections in other APIs, and the normalized paths of their equivalents here. */
const otherNames: ReadonlyMap<string, string> = new Map([
  ["devices", "hosts"],
  ["events", "changes"],
  ["stats", "summary"],
  ["users", "auth/keys"],
]);

/**
 * The app's path that is most similar to an unknown path, if one is similar enough, or the path of
 * a collection that other APIs call by this name.
 */
export function nearPath(app: Hono<AppEnv>, path: string): string | undefined {
  const paths = pathsOf(app);
  const [collection = "", ...rest] = comparable(path).split("/");
  const meant = [otherNames.get(collection.toLowerCase()) ?? collection, ...rest].join("/");
  return paths.get(nearest(meant, [...paths.keys()]) ?? "");
}

const externalIdPath = /^([a-z-]+)\/by-external-id\/[^/]+$/;

/**
 * A path that supports the method, for a path that does not: one segment below
 * (`/daemons/provision` for `POST /daemons`), or, for a path with an external id, the path of the
 * record or the list that finds its id.
 */
export function supportingPath(
  app: Hono<AppEnv>,
  method: string,
  path: string,
): string | undefined {
  const [, collection] = externalIdPath.exec(comparable(path)) ?? [];
  if (collection !== undefined) {
    const isRead = method === "GET";
    const near = pathsOf(app, method).get(isRead ? collection : `${collection}/{id}`);
    return near !== undefined && isRead ? `${near}?external_id={external_id}` : near;
  }
  const above = `${comparable(path)}/`;
  const [, below] =
    [...pathsOf(app, method)].find(
      ([candidate]) =>
        candidate.startsWith(above) &&
        !candidate.startsWith("bulk", above.length) &&
        !candidate.includes("/", above.length),
    ) ?? [];
  return below;
}

/** A path below a record: the collection, the id and the subresource. */
const partOfRecord = /^\/?(?:api\/)?(?:v1\/)?([a-z-]+)\/([\da-f-]{36})\/([a-z-]+)\/?$/i;

/** Names that other APIs use for a record's timeline. */
const timelineNames: readonly string[] = ["history", "versions", "changes", "events", "log"];

/**
 * The path that serves a guessed subresource of a record: `/services?host_id={id}` for
 * `/hosts/{id}/services`, and `/hosts?tag_ids={id}` for `/tags/{id}/hosts`, if the list has such a
 * filter. Otherwise, the path of the record's timeline or of the record itself, if that path
 * exists.
 */
export async function listOfParts(app: Hono<AppEnv>, path: string): Promise<string | undefined> {
  const [, parent = "", id = "", child = ""] = partOfRecord.exec(path) ?? [];
  const list = app.routes.findLast(
    (route) => route.method === "GET" && route.path === `/api/v1/${child}`,
  );
  const own = `${parent.replace(/(?<=ss)es$|s$/, "").replaceAll("-", "_")}_id`;
  if (list) {
    await loadSteps({ routes: [list] });
    const filter = [own, `${own}s`].find((name) =>
      stepsOf(list.handler).some((step) => {
        const { query } = factsOf(step);
        return query instanceof z.ZodObject && name in query.shape;
      }),
    );
    if (filter !== undefined) {
      return `${list.path}?${filter}=${id}`;
    }
  }
  const record = `/api/v1/${parent}/:id`;
  const existing = [
    timelineNames.includes(child) ? `${record}/timeline` : null,
    list ? record : null,
  ].find((path) => app.routes.some((route) => route.method === "GET" && route.path === path));
  return existing?.replace(":id", id);
}

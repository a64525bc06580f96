import document from "../../src/docs/assets/openapi.json" with { type: "json" };
import type { Role } from "../../src/roles.ts";
import type { Answer, Api, RequestOptions } from "./api.ts";
import type { PopulatedOrganization } from "./populated-organization.ts";
import { type Route, routes } from "./routes.ts";

/**
 * The request bodies of a resource's operations, by route. Each is valid for the given
 * organization. If the OpenAPI document's example is not sufficient, they are in `samples.ts` next
 * to the resource's tests.
 */
export type Samples = Readonly<Record<string, (organization: PopulatedOrganization) => unknown>>;

const files = import.meta.glob<Samples>("../**/samples.ts", { eager: true, import: "samples" });

/** The samples of all resources. */
export const samples: Samples = Object.assign({}, ...Object.values(files));

/** An operation of the API that needs a key of an organization. */
export interface Operation extends Route {
  role: Role;
  /** The success status, as declared in the OpenAPI document. */
  status: number;
}

interface Described {
  responses: object;
  requestBody?: { content: { "application/json": { example?: unknown } } };
}

const paths: Record<string, Record<string, Described>> = document.paths;

/** @throws {Error} if the OpenAPI document does not have the operation */
function describedBy({ name, method, path }: Route): Described {
  const operation = paths[path.replaceAll(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
  if (!operation) {
    throw new Error(`The document lacks ${name}: run npm run generate:openapi.`);
  }
  return operation;
}

/**
 * The statuses that an operation declares.
 * @throws {Error} if the OpenAPI document does not have the operation
 */
export const declaredStatuses = (route: Route): number[] =>
  Object.keys(describedBy(route).responses).map(Number);

/** An operation that creates or replaces a record creates it, as its path has a new external id. */
const successOf = (route: Route) =>
  declaredStatuses(route).findLast((status) => status < 300) ?? 200;

/** Every operation of the app that needs a key of an organization. */
export const operations: readonly Operation[] = routes.flatMap((route) =>
  route.role === null || route.role === "Operator"
    ? []
    : [{ ...route, role: route.role, status: successOf(route) }],
);

/** Every operation of the app that needs an operator key. */
export const operatorOperations: readonly Route[] = routes.filter(
  ({ role }) => role === "Operator",
);

/** The operation with a name such as `PUT /api/v1/credentials/:id`. */
export function operationOf(name: string): Operation {
  const operation = operations.find((one) => one.name === name);
  if (!operation) {
    throw new Error(`The app has no operation ${name}.`);
  }
  return operation;
}

/**
 * The operations that are tested with complete matrices. For all other operations, tests check only
 * that they begin with the same steps.
 */
export const sampled = {
  read: operationOf("GET /api/v1/daemons/:id"),
  write: operationOf("PUT /api/v1/credentials/:id"),
};

/** Both operations, for tables of test cases. */
export const sampledOperations: readonly Operation[] = Object.values(sampled);

/**
 * The collection of a path: `daemons` for `/api/v1/daemons/:id`. The topology of a network has the
 * network's id.
 */
export const collectionOf = ({ path }: Pick<Route, "path">): string => {
  const name = /^\/api\/v1\/([^:]+?)(\/:|$)/.exec(path)?.[1] ?? "";
  return name === "topology" && path.includes(":id") ? "networks" : name;
};

/**
 * The id of the record to which an operation applies; null if its path has none.
 * @throws {Error} if the populated organization has no record of that collection
 */
export function recordIdOf(
  route: Pick<Route, "path">,
  { records }: PopulatedOrganization,
): string | null {
  if (!route.path.includes("/:id")) {
    return null;
  }
  const id = Object.entries(records).find(([name]) => name === collectionOf(route))?.[1];
  if (id === undefined) {
    throw new Error(
      `${route.path} needs a record: add one of ${collectionOf(route)} to test/helpers/populated-organization.ts.`,
    );
  }
  return id;
}

/** The query that an operation needs to succeed on a populated organization. */
export const queries: Readonly<Record<string, string>> = {
  "DELETE /api/v1/networks/:id": "?cascade=true",
  "GET /api/v1/diff": "?from=2026-01-01T00:00:00Z",
  "GET /api/v1/search": "?q=test",
  "GET /api/v1/topology/data": `?network_id=${crypto.randomUUID()}`,
};

/** The path of an operation on a record with this id. */
export const pathWith = ({ name, path }: Pick<Route, "name" | "path">, id: string): string =>
  path.replace(":id", id) + (queries[name] ?? "");

/** The path of an operation on a record of an organization. */
export const pathOf = (
  route: Pick<Route, "name" | "path">,
  organization: PopulatedOrganization,
): string =>
  pathWith(route, recordIdOf(route, organization) ?? "")
    .replace(":other_id", organization.other_host_id)
    .replace(":delivery_id", organization.delivery_id)
    .replace(":external_id", crypto.randomUUID());

/**
 * A valid body of an operation; undefined if it has none.
 * @throws {Error} if the OpenAPI document has no example
 */
export function bodyOf(route: Route, organization: PopulatedOrganization): unknown {
  if (route.json === undefined) {
    return undefined;
  }
  const sample = samples[route.name];
  return sample ? sample(organization) : exampleOf(route, organization);
}

/**
 * The OpenAPI document's example of a body, with ids of the organization's records and with new
 * names.
 */
function exampleOf(route: Route, { records }: PopulatedOrganization): unknown {
  const example = describedBy(route).requestBody?.content["application/json"]?.example;
  if (example === undefined) {
    throw new Error(`The document has no example of a body of ${route.name}.`);
  }
  const ids = new Map(Object.entries(records));
  const isBulkPatch = route.name.startsWith("PATCH ") && route.name.endsWith("/bulk");
  if (isBulkPatch) {
    const [, record] =
      Object.entries(records).find(([name]) => `${name}/bulk` === collectionOf(route)) ?? [];
    ids.set("id", record ?? "");
  }
  const adapt = (value: unknown, field: string): unknown => {
    if (Array.isArray(value)) {
      return value.map((one) => adapt(one, field));
    }
    if (typeof value === "object" && value !== null) {
      return Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, adapt(one, name)]),
      );
    }
    // `network_id`, `network_ids` and `tags` contain ids of a collection; `name` must often be
    // unique.
    return field === "name"
      ? `${value} ${crypto.randomUUID()}`
      : (ids.get(field) ?? ids.get(field.replace(/_ids?$/, "s")) ?? value);
  };
  return adapt(
    example,
    route.name.endsWith("/bulk-delete") ? collectionOf(route).replace("/bulk-delete", "") : "",
  );
}

/**
 * Sends a valid request for an operation. It succeeds if the options have a key with a sufficient
 * role.
 */
export const perform = (
  api: Api,
  operation: Route,
  organization: PopulatedOrganization,
  options: RequestOptions = {},
): Promise<Answer> =>
  api.send(operation.method, pathOf(operation, organization), {
    json: bodyOf(operation, organization),
    ...options,
  });

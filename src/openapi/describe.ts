import type { TypedResponse } from "hono";
import type { JSONParsed } from "hono/utils/types";
import type * as z from "zod";
import type { ErrorCode, ErrorParams } from "../errors/errors.ts";
import type { Verb } from "../http/declares.ts";
import { type Endpoint, endpointsOf, type Routes } from "./endpoints.ts";

/** Parameters of errors, for examples. */
export type ErrorExamples = { readonly [Code in ErrorCode]?: ErrorParams<Code> };

interface ParameterDescription {
  description: string;
  example?: string | number | boolean;
  /** The name of its component, such as `HostId`, if another parameter has the same name. */
  component?: string;
}

/** The handwritten description of an operation. The operation's steps declare the rest. */
export interface Description<Data> {
  /** Must be stable: generated clients derive function names from it. */
  operationId: string;
  tag: string;
  summary: string;
  /** Markdown: the rules that a caller must know. */
  description: string;
  /** Descriptions of parameters, by name. */
  parameters?: Readonly<Record<string, ParameterDescription>>;
  /**
   * The schema of `data`. An array represents a page of a list, or the records of a bulk create
   * (201).
   */
  data: z.ZodType<Data>;
  /**
   * The name of the response's component, such as `Health`, if the metadata of `data` does not have
   * one.
   */
  component?: string;
  /** The description of `data`. */
  response: string;
  /** The name of the response's component, if several operations share it. */
  responseComponent?: string;
  /** A complete request and its response. */
  example: { body?: unknown; data: unknown };
  errorExamples?: ErrorExamples;
}

const descriptions = new Map<object, Description<unknown>>();

/** A group of operations: a tag of the OpenAPI document. */
interface Group {
  name: string;
  description: string;
}

const groups: Group[] = [];

/** Describes a group of operations. Each resource describes its own group. */
export function describeGroup(group: Group): string {
  groups.push(group);
  return group.name;
}

/** The groups that readers look for first; all others follow by name. */
const firstGroups = [
  ...["Hosts", "Services", "Bindings", "Ports", "IP addresses", "Interfaces", "Neighbors"],
  ...["Subnets", "Networks", "Changes", "Summary", "Topology", "Discovery", "Exports"],
];

/** The groups that resources have described, in the order of the document. */
export function describedGroups(): Group[] {
  const rankOf = ({ name }: Group) => firstGroups.indexOf(name) + 1 || firstGroups.length + 1;
  return groups.toSorted(
    (group, other) => rankOf(group) - rankOf(other) || group.name.localeCompare(other.name),
  );
}

const resources = new Map<string, Readonly<Record<Verb, Description<unknown>>>>();

/**
 * Describes the verbs of the resource at a path. The caller must have checked the types. The verbs
 * do not need to have endpoints, so a verb can be described before its endpoint exists.
 * @throws {Error} if the resource is already described
 */
export function describeResource(
  path: string,
  verbs: Readonly<Record<Verb, Description<unknown>>>,
): void {
  if (resources.has(path)) {
    throw new Error(`The resource at ${path} is described twice.`);
  }
  resources.set(path, verbs);
}

/** The type of `data` in the success response. */
type DataOf<Handler> = Handler extends (...parts: never[]) => infer Result
  ? Extract<Awaited<Result>, TypedResponse<{ success: true }>> extends TypedResponse<infer Body>
    ? Body extends { success: true; data: infer Data }
      ? Data
      : never
    : never
  : never;

/**
 * Describes an operation for the OpenAPI document. It does not compile unless the handler's response
 * fits `data`.
 * @example
 * describeOperation(listCredentials, { operationId: "get_all_credentials", … });
 */
export function describeOperation<
  const Handlers extends readonly unknown[],
  Schema extends z.ZodType,
>(
  handlers: Handlers,
  description: Description<z.output<Schema>> & {
    data: Schema &
      ([DataOf<Handlers[number]>] extends [JSONParsed<z.output<Schema>>] ? unknown : never);
  },
): void {
  const handler = handlers.at(-1);
  if (typeof handler === "function") {
    descriptions.set(handler, description);
  }
}

/** An endpoint with its description. */
export interface Operation extends Endpoint {
  description: Description<unknown>;
}

/**
 * The endpoints of an app, with their descriptions.
 * @throws {Error} if an endpoint has no description, or a description has no endpoint
 */
export function operationsOf(app: Routes): Operation[] {
  const operations = endpointsOf(app).map((endpoint) => {
    const { verb } = endpoint;
    const description =
      descriptions.get(endpoint.handler) ?? (verb && resources.get(verb.path)?.[verb.name]);
    if (!description) {
      const { method, path } = endpoint;
      throw new Error(`${method} ${path} has no description: call describeOperation in a docs.ts.`);
    }
    return { ...endpoint, description };
  });
  const handlers = new Set(operations.map(({ handler }) => handler));
  for (const [handler, { operationId }] of descriptions) {
    if (!handlers.has(handler)) {
      throw new Error(`The description ${operationId} has no endpoint.`);
    }
  }
  return operations;
}

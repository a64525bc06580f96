import type { Context, MiddlewareHandler, Next, TypedResponse } from "hono";
import type { JSONParsed } from "hono/utils/types";
import * as z from "zod";
import type { Role } from "../../database/schema/index.ts";
import type { FailureBody } from "../envelope.ts";
import type { ErrorCode, ErrorParams, errorCatalogue } from "../errors.ts";

/** What a step of an endpoint does that its callers must know. */
export interface Facts {
  /** The errors that it can answer with. */
  errors?: readonly ErrorCode[];
  /** The least role that it lets pass. */
  role?: Role;
  param?: z.ZodType | undefined;
  query?: z.ZodType | undefined;
  json?: z.ZodType | undefined;
}

/** The answers of some errors, in the form that Hono's client infers from. */
export type Refusal<Code extends ErrorCode> = {
  [Each in Code]: TypedResponse<
    JSONParsed<FailureBody<Each>>,
    (typeof errorCatalogue)[Each]["status"],
    "json"
  >;
}[Code];

const factsOfSteps = new WeakMap<object, Facts>();

/** What is known of a step of an endpoint. */
export const factsOf = (step: object): Facts => factsOfSteps.get(step) ?? {};

/**
 * Makes a middleware say what it does: its errors to Hono's client by its type, everything to the
 * OpenAPI document.
 */
export function stating<Env extends object, In extends object, Code extends ErrorCode>(
  facts: Facts & { errors: readonly Code[] },
  middleware: (c: Context<Env, string, In>, next: Next) => Promise<void>,
): MiddlewareHandler<Env, string, In, Refusal<Code>> {
  factsOfSteps.set(middleware, facts);
  return middleware;
}

/** States errors that only the handler after it finds. */
export const mayFail = <Code extends ErrorCode>(...errors: Code[]) =>
  stating({ errors }, (_, next) => next());

/** Parameters of errors, for examples. */
export type ErrorExamples = { readonly [Code in ErrorCode]?: ErrorParams<Code> };

/** What only people can say of an operation. The rest is read off its steps. */
export interface Description<Data> {
  /** Stable: clients name their functions by it. */
  operationId: string;
  tag: string;
  summary: string;
  /** Markdown: the rules that a caller must know. */
  description: string;
  /** What is said of parameters, by name. */
  parameters?: Readonly<Record<string, { description: string; example: string }>>;
  /** What `data` is; an array makes a list. */
  data: z.ZodType<Data>;
  /** What `data` is, in words. */
  answer: string;
  /** A full request and its answer. */
  example: { body?: unknown; data: unknown };
  errorExamples?: ErrorExamples;
}

const descriptions = new Map<object, Description<unknown>>();

/** What is said of the operation that a handler ends. */
export const descriptionOf = (handler: object) => descriptions.get(handler);

/** Every description, by the handler that it is of. */
export const describedHandlers = () => descriptions.entries();

/** What an operation answers in `data`. */
type DataOf<Handler> = Handler extends (...parts: never[]) => infer Answer
  ? Extract<Awaited<Answer>, TypedResponse<{ success: true }>> extends TypedResponse<infer Body>
    ? Body extends { success: true; data: infer Data }
      ? Data
      : never
    : never
  : never;

/**
 * Describes an operation for the OpenAPI document. The handlers' answer must fit what is said of it.
 *
 * Call it as a statement marked pure: then the bundler leaves it out of the Worker, with every text
 * and schema that nothing else uses, while Node, which writes the document, runs it. The description
 * is a function because arguments that call something would stay.
 * @example
 * /* @__PURE__ *\/ describeOperation(listCredentials, () => ({ operationId: "listCredentials", … }));
 */
export function describeOperation<
  const Handlers extends readonly unknown[],
  Schema extends z.ZodType,
>(
  handlers: Handlers,
  description: () => Description<z.output<Schema>> & {
    data: Schema &
      ([DataOf<Handlers[number]>] extends [JSONParsed<z.output<Schema>>] ? unknown : never);
  },
): void {
  const handler = handlers.at(-1);
  if (typeof handler === "function") {
    descriptions.set(handler, description());
  }
}

/** What is said of a schema, beyond what Zod tells of it. */
export interface Annotation {
  /** Makes it a component of that name. */
  id?: string;
  description?: string;
  /** JSON Schema keywords of the request that Zod does not write. */
  input?: Readonly<Record<string, unknown>>;
  /** JSON Schema keywords of the answer that Zod does not write. */
  output?: Readonly<Record<string, unknown>>;
  [keyword: string]: unknown;
}

/** What is said of schemas. */
export const annotations = /* @__PURE__ */ z.registry<Annotation>();

/** Says something of a schema. To be called as a statement marked pure, as {@link describeOperation}. */
export function annotate(schema: z.ZodType, annotation: Annotation): void {
  annotations.add(schema, { ...annotations.get(schema), ...annotation });
}

import type { Context, MiddlewareHandler, Next, TypedResponse } from "hono";
import type { JSONParsed } from "hono/utils/types";
import type * as z from "zod";
import type { ErrorCode, errorCatalogue } from "../errors/errors.ts";
import type { Role } from "../roles.ts";
import type { FailureBody } from "./envelope.ts";
import type { AppEnv } from "./factory.ts";

export type ResponseStatus = 200 | 201 | 304;
export type ResponseHeader =
  | "ETag"
  /** An `ETag` that not every response has. */
  | "ETag?"
  | "Location"
  | "Idempotent-Replayed"
  | "Retry-After"
  | "Vary"
  | "Link";
export type RequestHeader = "If-Match" | "If-None-Match" | "Idempotency-Key";

export type BareType = "application/json" | "text/plain";

/** The operations that every resource has (API contract, section 7). */
export type Verb =
  | "list"
  | "read"
  | "create"
  | "createMany"
  | "update"
  | "patch"
  | "patchMany"
  | "upsert"
  | "delete"
  | "deleteMany";

/**
 * The facts that a middleware declares about its operation. The documentation is generated from
 * them.
 */
export interface Facts {
  /** The verb and the path of the resource, if the operation is a standard verb. */
  verb?: { name: Verb; path: string };
  /** Possible errors. */
  errors?: readonly ErrorCode[];
  /** Minimum role; `Operator` if the operation needs an operator key. */
  role?: Role | "Operator";
  /**
   * Possible statuses below 400, each with its headers. By default, success is 200 without extra
   * headers.
   * @example { 201: ["ETag", "Location"] }
   */
  responses?: { readonly [Status in ResponseStatus]?: readonly ResponseHeader[] };
  /** Request headers that the operation reads. */
  requestHeaders?: readonly RequestHeader[];
  /** Media types other than JSON that the `Accept` header can select. */
  otherForms?: readonly string[];
  /** True for a list that has only cursors, without offsets. */
  hasCursor?: true;
  /** True if the data contains a paginated list and other fields. */
  hasPages?: true;
  /**
   * True if the data contains the records that the request names, with their entity tags, rather
   * than a page of a list.
   */
  hasTags?: true;
  /** True if the data is an array that is complete, rather than a page of a list. */
  isUnpaged?: true;
  /**
   * Media type of a success response that omits the envelope because it is read by other programs.
   */
  bareType?: BareType;
  param?: z.ZodType | undefined;
  query?: z.ZodType | undefined;
  json?: z.ZodType | undefined;
  /**
   * The body of PUT, if the body of this operation is a merge patch for it, or a list of such
   * patches.
   */
  patched?: z.ZodType | undefined;
  /** Accepted JSON media types; by default `application/json` only. */
  jsonTypes?: readonly string[] | undefined;
  /** Accepted media types other than JSON, and the maximum size. */
  otherForm?: { mediaTypes: readonly string[]; maxBytes: number } | undefined;
}

/** The responses for the given errors, as types for Hono's client. */
export type Refusal<Code extends ErrorCode> = {
  [Each in Code]: TypedResponse<
    JSONParsed<FailureBody<Each>>,
    (typeof errorCatalogue)[Each]["status"],
    "json"
  >;
}[Code];

const factsOfSteps = new WeakMap<object, Facts>();

/** The declared facts of a middleware; empty if it has not declared any. */
export const factsOf = (step: object): Facts => factsOfSteps.get(step) ?? {};

/**
 * Declares the facts of a middleware for the OpenAPI document, and its errors as a type for Hono's
 * client.
 */
export function declares<Env extends object, In extends object, Code extends ErrorCode>(
  facts: Facts & { errors: readonly Code[] },
  middleware: (c: Context<Env, string, In>, next: Next) => Promise<void>,
): MiddlewareHandler<Env, string, In, Refusal<Code>> {
  factsOfSteps.set(middleware, facts);
  return middleware;
}

/** Declares the facts of the handler itself. */
export const handles = <const Codes extends readonly ErrorCode[]>(
  facts: Omit<Facts, "errors"> & { errors: Codes },
): MiddlewareHandler<AppEnv, string, object, Refusal<Codes[number]>> =>
  declares<AppEnv, object, Codes[number]>(facts, (_, next) => next());

/** Declares the errors of the handler itself. */
export const mayFail = <Code extends ErrorCode>(...errors: Code[]) => handles({ errors });

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
  | "Location"
  | "Idempotent-Replayed"
  | "Retry-After"
  | "Vary"
  | "Link";
export type RequestHeader = "If-Match" | "If-None-Match" | "Idempotency-Key";

export type BareType = "application/json" | "text/plain";

/** What the endpoints of every resource do (API contract, section 7). */
export type Verb =
  | "list"
  | "read"
  | "create"
  | "createMany"
  | "update"
  | "patch"
  | "delete"
  | "deleteMany";

/** What callers must know of a step of an endpoint. */
export interface Facts {
  /** What it does to the resource at a path, where it is one of the verbs that every resource has. */
  verb?: { name: Verb; path: string };
  /** The errors that it can respond with. */
  errors?: readonly ErrorCode[];
  /** The least role that it lets pass. */
  role?: Role;
  /**
   * Statuses below 400 that it responds with, each with the headers that belong to it. Without any,
   * success is 200 and has no header of its own.
   * @example { 201: ["ETag", "Location"] }
   */
  responses?: { readonly [Status in ResponseStatus]?: readonly ResponseHeader[] };
  /** Headers of the request that change what it does. */
  requestHeaders?: readonly RequestHeader[];
  /** The media types of its success beside JSON, by the header Accept. */
  otherForms?: readonly string[];
  /** Whether it is a list that goes on at a cursor, where others have pages. */
  hasCursor?: true;
  /** Whether it has pages of a list that is not all of its data. */
  hasPages?: true;
  /** The media type of a success without the envelope, in the form of another program. */
  bareType?: BareType;
  param?: z.ZodType | undefined;
  query?: z.ZodType | undefined;
  json?: z.ZodType | undefined;
  /** The media types of JSON that it takes, if not `application/json` alone. */
  jsonTypes?: readonly string[] | undefined;
  /** The media types of the body beside JSON, and how many bytes it may have. */
  otherForm?: { mediaTypes: readonly string[]; maxBytes: number } | undefined;
}

/** The responses of some errors, in the form that Hono's client infers from. */
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
 * Declares what a middleware does: its errors by its type, for Hono's client, and all of it for the
 * OpenAPI document.
 */
export function declares<Env extends object, In extends object, Code extends ErrorCode>(
  facts: Facts & { errors: readonly Code[] },
  middleware: (c: Context<Env, string, In>, next: Next) => Promise<void>,
): MiddlewareHandler<Env, string, In, Refusal<Code>> {
  factsOfSteps.set(middleware, facts);
  return middleware;
}

/** Declares what the handler itself does. */
export const handles = <const Codes extends readonly ErrorCode[]>(
  facts: Omit<Facts, "errors"> & { errors: Codes },
): MiddlewareHandler<AppEnv, string, object, Refusal<Codes[number]>> =>
  declares<AppEnv, object, Codes[number]>(facts, (_, next) => next());

/** Declares errors that only the handler itself finds. */
export const mayFail = <Code extends ErrorCode>(...errors: Code[]) => handles({ errors });

import type { Context, MiddlewareHandler, Next, TypedResponse } from "hono";
import type { JSONParsed } from "hono/utils/types";
import type * as z from "zod";
import type { ErrorCode, errorCatalogue } from "../errors.ts";
import type { Role } from "../roles.ts";
import type { FailureBody } from "./envelope.ts";

/** What callers must know of a step of an endpoint. */
export interface Facts {
  /** The errors that it can answer with. */
  errors?: readonly ErrorCode[];
  /** The least role that it lets pass. */
  role?: Role;
  /** The status of success, where it is not 200. */
  status?: number;
  param?: z.ZodType | undefined;
  query?: z.ZodType | undefined;
  json?: z.ZodType | undefined;
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

/** Declares errors that only the handler itself finds. */
export const mayFail = <Code extends ErrorCode>(...errors: Code[]) =>
  declares({ errors }, (_, next) => next());

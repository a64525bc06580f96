import { zValidator } from "@hono/zod-validator";
import type { Context, MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type * as z from "zod";
import { compile } from "zod/v4/core";
import { ApiError, type ErrorCode, type Issue, validationFailed } from "./errors.ts";
import type { AppEnv } from "./factory.ts";
import { jsonBody } from "./json-body.ts";
import { type Refusal, stating } from "./openapi/describe.ts";

/** The parts of a request that an operation takes. */
interface RequestSchemas {
  param?: z.ZodType;
  query?: z.ZodType;
  json?: z.ZodType;
}

/** What the parts are once validated, in the form that Hono's handlers and clients infer from. */
interface Validated<Schemas extends RequestSchemas> {
  in: { [Part in keyof Schemas]: Schemas[Part] extends z.ZodType ? z.input<Schemas[Part]> : never };
  out: {
    [Part in keyof Schemas]: Schemas[Part] extends z.ZodType ? z.output<Schemas[Part]> : never;
  };
}

const requestErrors = ["validation_failed"] as const;
const bodyErrors = [
  "request_malformed_json",
  "request_too_large",
  "request_unsupported_media_type",
] as const;

/** The errors that validating these parts can find. */
type ErrorsOf<Schemas extends RequestSchemas> =
  | (typeof requestErrors)[number]
  | (Schemas extends { json: z.ZodType } ? (typeof bodyErrors)[number] : never);

/** How the parts are called in the paths of issues. */
const partNames = { param: "path", query: "query", json: "body" } as const;
const parts = ["param", "query", "json"] as const;

/**
 * Lets a request pass whose parts fit their schemas; the handler reads them with `c.req.valid`.
 * Every part is judged before any is refused, so a caller gets all issues at once.
 * @throws {ApiError} 400 with all issues; 413, 415 and 400 of the body
 */
export function validate<Schemas extends RequestSchemas>(
  schemas: Schemas,
): MiddlewareHandler<AppEnv, string, Validated<Schemas>, Refusal<ErrorsOf<Schemas>>> {
  const issuesOf = new WeakMap<Context, Issue[]>();
  const steps: MiddlewareHandler[] = schemas.json ? [jsonBody] : [];
  for (const part of parts) {
    const schema = schemas[part];
    if (schema) {
      steps.push(
        zValidator(
          part,
          // At module scope, where Workers still let Zod generate the code that it else goes without.
          compile(schema),
          (result, c) => {
            if (!result.success) {
              issuesOf.get(c)?.push(...issues(partNames[part], result.error.issues));
            }
          },
          // Generated code is for parsing synchronously; the validator's default is not.
          { validationFunction: (compiled, value) => compiled.safeParse(value) },
        ),
      );
    }
  }
  const errors: readonly ErrorCode[] = [...requestErrors, ...(schemas.json ? bodyErrors : [])];
  // The compiler does not follow the condition into the generic type.
  const facts = { ...schemas, errors: errors as readonly ErrorsOf<Schemas>[] };
  return stating<AppEnv, Validated<Schemas>, ErrorsOf<Schemas>>(facts, async (c, next) => {
    const found: Issue[] = [];
    issuesOf.set(c, found);
    for (const step of steps) {
      await step(c, async () => {}).catch(refuse);
    }
    if (schemas.param && schemas.json && (await isOfAnotherRecord(c, found))) {
      const message = "must be the id in the path, or be left out";
      found.push({ path: "body.id", message, code: "custom" });
    }
    if (found.length > 0) {
      throw validationFailed(found);
    }
    await next();
  });
}

/**
 * Whether the body carries the id of another record than the path does. What was read can be sent
 * back as it is, but not to another place (API contract, section 3).
 */
async function isOfAnotherRecord(c: Context, found: readonly Issue[]): Promise<boolean> {
  const isJudged = found.some(({ path }) => path === "path.id" || path === "body.id");
  const body: unknown = await c.req.json();
  if (isJudged || typeof body !== "object" || body === null || !("id" in body)) {
    return false;
  }
  return String(body.id).toLowerCase() !== c.req.param("id")?.toLowerCase();
}

/** Hono's validator throws its own exception, past every hook, when JSON does not parse. */
function refuse(error: unknown): never {
  throw error instanceof HTTPException ? new ApiError("request_malformed_json", {}) : error;
}

function issues(part: string, found: readonly z.core.$ZodIssue[]): Issue[] {
  return found.flatMap(({ code, path, message, ...issue }) => {
    const unknown = "keys" in issue && code === "unrecognized_keys" ? issue.keys : null;
    return unknown
      ? unknown.map((key) => ({
          path: pathText(part, [...path, key]),
          message: "is not a field of this request",
          code,
        }))
      : { path: pathText(part, path), message, code };
  });
}

function pathText(part: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : `${text}.${String(step)}`),
    part,
  );
}

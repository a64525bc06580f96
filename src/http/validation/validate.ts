import { zValidator } from "@hono/zod-validator";
import type { Context, MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import * as z from "zod";
import { ApiError, type ErrorCode } from "../../errors/errors.ts";
import { type BodyForm, type ReadForm, readBody } from "../body/json-body.ts";
import { jsonFault } from "../body/json-fault.ts";
import { type BodyBounds, LargeBodyRoom, usualBounds } from "../body/large-bodies.ts";
import { declares, type Refusal, type RequestHeader } from "../declares.ts";
import type { AppEnv } from "../factory.ts";
import { issueMessage } from "./issue-message.ts";
import { IssueList, validationFailed } from "./issues.ts";
import { addIssues, type Elsewhere } from "./zod-issues.ts";

/** The schemas that validate the parts of a request. */
interface RequestSchemas {
  param?: z.ZodType;
  query?: z.ZodType;
  header?: z.ZodType;
  json?: z.ZodType;
}

/** Options for the body, and hints to other operations. */
interface ValidateOptions<Schemas extends RequestSchemas> {
  elsewhere?: Elsewhere | undefined;
  /** Limits for the body. */
  bounds?: BodyBounds | undefined;
  /** Accepted JSON media types. */
  jsonTypes?: readonly string[];
  /** The schema of the body in the OpenAPI document, if the handler validates the body. */
  described?: z.ZodType;
  /** An accepted format other than JSON. */
  otherForm?: BodyForm<z.ZodType<z.output<NonNullable<Schemas["json"]>>>>;
}

type InputOf<Schema> = Schema extends z.ZodType ? z.input<Schema> : never;

/** The input and output types of the parts, for Hono's handlers and clients. */
interface Validated<Schemas extends RequestSchemas> {
  // Every header that operations read is optional.
  in: { [Part in Exclude<keyof Schemas, "header">]: InputOf<Schemas[Part]> } & {
    [Part in Extract<keyof Schemas, "header">]?: InputOf<Schemas[Part]>;
  };
  out: {
    [Part in keyof Schemas]: Schemas[Part] extends z.ZodType ? z.output<Schemas[Part]> : never;
  };
}

const requestErrors = ["validation_failed"] as const;
const bodyErrors = [
  "request_malformed_json",
  "request_timeout",
  "request_too_large",
  "request_unsupported_media_type",
] as const;

/** The errors that validating these parts can cause. */
type ErrorsOf<Schemas extends RequestSchemas> =
  | (typeof requestErrors)[number]
  | (Schemas extends { json: z.ZodType } ? (typeof bodyErrors)[number] : never);

const parts = ["param", "query", "header", "json"] as const;
type Part = (typeof parts)[number];

/** The headers that operations read, by lower-case name. */
const headerNames: Readonly<Record<string, RequestHeader>> = {
  "if-match": "If-Match",
  "if-none-match": "If-None-Match",
  "idempotency-key": "Idempotency-Key",
};

/** The query of an operation that takes no parameters. */
const noParameters = z.strictObject({});

/** The names of the parts in issue paths. */
const partNames = { param: "path", query: "query", header: "header", json: "body" } as const;

/**
 * Validates every part of a request against its schema; the handler reads the parts with
 * `c.req.valid`. All parts are validated first, so that a caller receives all issues at once.
 * Without a query schema, every query parameter is an error (API contract, section 4).
 * @throws {ApiError} 400 with the issues; 408, 413, 415 and 400 for the body
 */
export function validate<Schemas extends RequestSchemas>(
  schemas: Schemas,
  {
    bounds = usualBounds,
    jsonTypes = ["application/json"],
    described,
    otherForm,
    elsewhere,
  }: ValidateOptions<Schemas> = {},
): MiddlewareHandler<AppEnv, string, Validated<Schemas>, Refusal<ErrorsOf<Schemas>>> {
  const issuesOf = new WeakMap<Context, IssueList>();
  const steps: { part: Part; check: MiddlewareHandler }[] = [];
  for (const part of parts) {
    const schema = part === "query" ? (schemas.query ?? noParameters) : schemas[part];
    if (schema) {
      steps.push({
        part,
        check: zValidator(
          part,
          schema,
          (result, c) => {
            const issues = issuesOf.get(c);
            if (!result.success && issues) {
              addIssues(issues, partNames[part], result.error.issues, elsewhere);
            }
            // Returning a response ends the step. Otherwise, the validator would respond with all
            // issues as JSON.
            return result.success ? undefined : c.body(null, 400);
          },
          { validationFunction: (own, value) => own.safeParse(value, { error: issueMessage }) },
        ),
      });
    }
  }
  const mayBeAbsent = schemas.json?.safeParse({}).success ?? false;
  const errors: readonly ErrorCode[] = [...requestErrors, ...(schemas.json ? bodyErrors : [])];
  // The compiler does not follow the condition into the generic type.
  const facts = {
    ...schemas,
    ...(described && { json: described }),
    jsonTypes,
    otherForm: otherForm && { mediaTypes: otherForm.mediaTypes, maxBytes: bounds.bytes },
    errors: errors as readonly ErrorsOf<Schemas>[],
    requestHeaders: schemas.header
      ? fieldsOf(schemas.header).flatMap((name) => headerNames[name] ?? [])
      : [],
  };
  return declares<AppEnv, Validated<Schemas>, ErrorsOf<Schemas>>(facts, async (c, next) => {
    const issues = new IssueList();
    issuesOf.set(c, issues);
    const room = new LargeBodyRoom(bounds);
    try {
      const read = schemas.json && (await readBody(c, room, { jsonTypes, otherForm, mayBeAbsent }));
      for (const { part, check } of steps) {
        if (part === "json" && read) {
          checkForm(c, read, issues);
        } else {
          await check(c, async () => {}).catch((error: unknown) => refuse(c, error));
        }
      }
      // Frees the text, because the values have already been parsed and a handler can be slow.
      delete c.req.bodyCache.text;
      if (issues.count > 0) {
        throw validationFailed(issues);
      }
      await next();
    } finally {
      room.leave();
    }
  });
}

/** Validates a body in another format, as Hono's validator does for JSON. */
function checkForm(c: Context, { form, value }: ReadForm, issues: IssueList): void {
  const result = form.schema.safeParse(value, { error: issueMessage });
  if (result.success) {
    c.req.addValidatedData("json", Object(result.data));
  } else {
    addIssues(issues, partNames.json, result.error.issues);
  }
}

/** Hono's validator throws its own exception for malformed JSON, without calling the hook. */
async function refuse(c: Context, error: unknown): Promise<never> {
  if (!(error instanceof HTTPException)) {
    throw error;
  }
  const text = (await c.req.bodyCache.text) ?? "";
  throw new ApiError("request_malformed_json", jsonFault(text));
}

const fieldsOf = (schema: z.ZodType): readonly string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];

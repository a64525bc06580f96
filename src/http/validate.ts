import type { MiddlewareHandler } from "hono";
import * as z from "zod";
import { compile } from "zod/v4/core";
import type { ErrorCode } from "./errors.ts";
import type { AppEnv } from "./factory.ts";
import { issueMessage } from "./issue-message.ts";
import { IssueList, validationFailed } from "./issues.ts";
import { type BodyContext, readJson } from "./json-body.ts";
import { type Refusal, stating } from "./openapi/describe.ts";
import { uuidSchema } from "./schemas.ts";

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

const parts = ["param", "query", "json"] as const;
type Part = (typeof parts)[number];

/** How the parts are called in the paths of issues. */
const partNames = { param: "path", query: "query", json: "body" } as const;

/**
 * Checks every part of a request against its schema; the handler reads them with `c.req.valid`.
 * Every part is judged before any is refused, so a caller gets the issues of all at once.
 * @throws {ApiError} 400 with the issues; 413, 415 and 400 of the body
 */
export function validate<Schemas extends RequestSchemas>(
  schemas: Schemas,
): MiddlewareHandler<AppEnv, string, Validated<Schemas>, Refusal<ErrorsOf<Schemas>>> {
  const checks = parts.flatMap((part) => {
    const schema = schemas[part];
    // At module scope, where Workers still let Zod generate the code that it else goes without.
    return schema ? [{ part, schema: compile(schema), fields: fieldsOf(schema) }] : [];
  });
  const errors: readonly ErrorCode[] = [...requestErrors, ...(schemas.json ? bodyErrors : [])];
  // The compiler does not follow the condition into the generic type.
  const facts = { ...schemas, errors: errors as readonly ErrorsOf<Schemas>[] };
  return stating<AppEnv, Validated<Schemas>, ErrorsOf<Schemas>>(facts, async (c, next) => {
    const found = new IssueList();
    for (const { part, schema, fields } of checks) {
      const value = await sent(c, part);
      const result = schema.safeParse(value, { error: issueMessage });
      if (result.success) {
        // Hono's type leaves null out, which no schema of ours returns.
        c.req.addValidatedData(part, result.data ?? {});
      } else {
        addIssues(found, part, result.error.issues, fields);
      }
      if (part === "json" && schemas.param && isOfAnotherRecord(value, c.req.param("id"))) {
        const message = "must be the id in the path, or be left out";
        found.add({ path: "body.id", message, code: "custom" });
      }
    }
    if (found.count > 0) {
      throw validationFailed(found);
    }
    await next();
  });
}

const fieldsOf = (schema: z.ZodType): readonly string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];

/** A part of the request as it was sent. */
function sent(c: BodyContext, part: Part): unknown {
  switch (part) {
    case "param":
      return c.req.param();
    case "query":
      return queryOf(c.req.url);
    case "json":
      return readJson(c);
  }
}

/** The parameters by name: a text, or an array of those that were given twice. */
function queryOf(url: string): Record<string, string | string[]> {
  const values = new Map<string, string | string[]>();
  for (const [name, value] of new URL(url).searchParams) {
    const before = values.get(name);
    if (before === undefined) {
      values.set(name, value);
    } else if (typeof before === "string") {
      values.set(name, [before, value]);
    } else {
      before.push(value);
    }
  }
  return Object.fromEntries(values);
}

/**
 * Whether the body carries the id of another record than the path does. What was read can be sent
 * back as it is, but not to another place (API contract, section 3). An id that is none is for the
 * schema to judge.
 */
function isOfAnotherRecord(body: unknown, pathId: string | undefined): boolean {
  if (typeof body !== "object" || body === null || !("id" in body)) {
    return false;
  }
  const sentId = uuidSchema.safeParse(body.id);
  const ownId = uuidSchema.safeParse(pathId);
  return sentId.success && ownId.success && sentId.data !== ownId.data;
}

function addIssues(
  found: IssueList,
  part: Part,
  issues: readonly z.core.$ZodIssue[],
  fields: readonly string[],
): void {
  for (const issue of issues) {
    const { code, message } = issue;
    const path = pathText(partNames[part], issue.path);
    if (issue.code === "unrecognized_keys") {
      const unknown =
        part === "query"
          ? `is not a parameter of this request, which takes ${fields.join(", ")}`
          : message;
      for (const key of issue.keys) {
        found.add({ path: `${path}.${key}`, message: unknown, code });
      }
    } else {
      found.add({ path, message, code });
    }
  }
}

function pathText(part: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, step) => (typeof step === "number" ? `${text}[${step}]` : `${text}.${String(step)}`),
    part,
  );
}

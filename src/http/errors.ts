import * as z from "zod";
import { roles } from "../database/schema/api-keys.ts";
import { annotate } from "./openapi/describe.ts";

/** One thing that is wrong with a request. */
export const issueSchema = z.object({ path: z.string(), message: z.string(), code: z.string() });
/* @__PURE__ */ annotate(issueSchema, {
  id: "Issue",
  description:
    "One thing that is wrong with a request. `path` is where, such as `body.host_assignments[0].host_id` or `query.limit`; `message` is what, for people; `code` is what, for programs.",
});
export type Issue = z.output<typeof issueSchema>;

/** So many issues are sent (API contract, section 6). The others are counted. */
export const maxIssues = 100;

const none = z.object({});
const retryAfter = z.object({ retry_after_seconds: z.int().positive() });
const role = z.enum(roles);

/**
 * Every error that a caller can get: its status, the sentence that says what to do, and its
 * parameters (API contract, section 6). The answers, the documents and the tests derive from it.
 */
export const errorCatalogue = {
  validation_failed: {
    status: 400,
    message: "The request is not valid: correct what params.issues lists and send it again.",
    params: z.object({
      issues: z.array(issueSchema).min(1).max(maxIssues),
      issue_count: z.int().positive(),
    }),
  },
  request_malformed_json: {
    status: 400,
    message:
      'The body is not well-formed JSON in UTF-8 (a text needs quotes, as in "Acme"): correct it and send it again.',
    params: none,
  },
  entity_reference_invalid: {
    status: 400,
    message:
      "The request refers to a record that does not exist in your organization: correct the field that params names.",
    params: z.object({ entity: z.string(), field: z.string(), id: z.guid().optional() }),
  },
  auth_not_authenticated: {
    status: 401,
    message: "Send a valid API key in the header: Authorization: Bearer <USER_API_KEY>.",
    params: none,
  },
  auth_key_expired: {
    status: 401,
    message: "This API key has expired: create a new one in the API Keys area.",
    params: z.object({ expired_at: z.iso.datetime() }),
  },
  auth_key_disabled: {
    status: 401,
    message: "This API key is disabled: enable it in the API Keys area or use another one.",
    params: none,
  },
  auth_permission_denied: {
    status: 403,
    message:
      "The role of this API key does not allow the operation: use a key with at least params.required_role.",
    params: z.object({ required_role: role, role }),
  },
  auth_scope_denied: {
    status: 403,
    message:
      "This API key is limited to some networks and the operation reaches beyond them: use a key that reaches every network of the organization.",
    params: none,
  },
  entity_not_found: {
    status: 404,
    message: "There is no such record in your organization: check the id.",
    params: z.object({
      entity: z.enum(["Credential", "Organization", "Daemon", "Binding"]),
      id: z.guid(),
    }),
  },
  route_not_found: {
    status: 404,
    message: "There is nothing at this path: see /openapi.json for the operations.",
    params: z.object({ method: z.string(), path: z.string() }),
  },
  method_not_allowed: {
    status: 405,
    message: "This path does not take the method: use one of params.allowed.",
    params: z.object({ method: z.string(), allowed: z.array(z.string()).min(1).max(9) }),
  },
  request_conflict: {
    status: 409,
    message:
      "Another change was made at the same time: read the record again and repeat the request.",
    params: none,
  },
  request_too_large: {
    status: 413,
    message: "The body is too large: send at most params.max_bytes bytes.",
    params: z.object({ max_bytes: z.int().positive() }),
  },
  request_unsupported_media_type: {
    status: 415,
    message: "Send the body as JSON, with the header Content-Type: application/json.",
    params: none,
  },
  rate_limit_exceeded: {
    status: 429,
    message: "Too many requests: wait params.retry_after_seconds seconds before the next one.",
    params: retryAfter,
  },
  internal_error: {
    status: 500,
    message: "Something went wrong on our side: report it with params.request_id.",
    params: z.object({ request_id: z.string() }),
  },
  service_unavailable: {
    status: 503,
    message:
      "The service cannot answer right now: repeat the request after params.retry_after_seconds seconds.",
    params: retryAfter,
  },
} as const;

export type ErrorCode = keyof typeof errorCatalogue;
export type ErrorParams<Code extends ErrorCode> = z.output<(typeof errorCatalogue)[Code]["params"]>;

/** Whether a text is a code of the catalogue. */
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorCatalogue, code);

/** An error that the caller gets to see: a code of the catalogue with its parameters. */
export class ApiError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name = "ApiError";
  readonly code: Code;
  readonly params: ErrorParams<Code>;

  constructor(code: Code, params: ErrorParams<Code>, options?: ErrorOptions) {
    super(errorCatalogue[code].message, options);
    this.code = code;
    this.params = params;
  }

  /** The HTTP status of the answer. */
  get status() {
    return errorCatalogue[this.code].status;
  }
}

/**
 * An error whose parameters come from outside the type system, if they are what the code asks for.
 */
export function parseApiError<Code extends ErrorCode>(
  code: Code,
  params: unknown,
  options?: ErrorOptions,
): ApiError<Code> | null {
  // The compiler does not follow a generic key into the catalogue.
  const schema = errorCatalogue[code].params as unknown as z.ZodType<ErrorParams<Code>>;
  const checked = schema.safeParse(params);
  return checked.success ? new ApiError(code, checked.data, options) : null;
}

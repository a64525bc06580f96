import type { RequestHeader, ResponseHeader } from "../http/declares.ts";
import { keyPattern } from "../http/input/idempotency-key.ts";
import { acceptedRequestId, jsonSecurityPolicy, transportSecurity } from "../http/respond.ts";
import { named } from "./fold.ts";
import type { Json } from "./json-schema.ts";

const text = (keywords: Json) => ({ type: "string", ...keywords });
const header = (description: string, schema: Json) => ({ description, required: true, schema });
const seconds = { type: "integer", format: "int32", minimum: 1, maximum: 86_400, examples: [60] };

/** The response headers, by component name. */
export const headerComponents = {
  RequestId: header(
    "The id of the request: the sent `X-Request-Id` if it matches the pattern, otherwise a new id.",
    text({
      pattern: acceptedRequestId.source,
      maxLength: 64,
      examples: ["1f6a3c0e-8f57-4f0e-9d8e-3c1b2a495867"],
    }),
  ),
  CacheControl: header(
    "Responses must not be cached, except those with an `ETag`: a client may keep such a response, but must revalidate it with `If-None-Match` before each use.",
    text({ enum: ["no-store", "private, no-cache"] }),
  ),
  ContentTypeOptions: header(
    "Browsers must not guess another media type.",
    text({ enum: ["nosniff"] }),
  ),
  TransportSecurity: header("Clients must use HTTPS.", text({ enum: [transportSecurity] })),
  SecurityPolicy: header(
    "The response must not load resources or be framed.",
    text({ enum: [jsonSecurityPolicy] }),
  ),
  AllowOrigin: {
    ...header(
      "Present only for browser origins that the operator has allowed; none by default.",
      text({ format: "uri", maxLength: 255, examples: ["https://app.example.com"] }),
    ),
    required: false,
  },
  Authenticate: header(
    "The required authentication scheme (RFC 6750).",
    text({ enum: ["Bearer"] }),
  ),
  RetryAfter: header("The number of seconds to wait before the next attempt.", seconds),
  RetryAfterNothing: {
    ...header(
      "The number of seconds to wait before the next request. Present if no more changes are available yet.",
      seconds,
    ),
    required: false,
  },
  RateLimitPolicy: {
    ...header(
      "The limits that the request counts against, each with its quota of `q` requests in a window of `w` seconds (draft-ietf-httpapi-ratelimit-headers). Absent if the request does not count.",
      text({
        pattern: '^"[a-z]+";q=\\d+;w=\\d+(, "[a-z]+";q=\\d+;w=\\d+)*$',
        maxLength: 255,
        examples: ['"key";q=300;w=60, "organization";q=1200;w=60'],
      }),
    ),
    required: false,
  },
  RateLimit: {
    ...header(
      "The remaining quota of these limits: at most `r` more requests in the `t` seconds until the window ends. The actual quota may be lower, since requests are not counted everywhere immediately.",
      text({
        pattern: '^"[a-z]+";r=\\d+;t=\\d+(, "[a-z]+";r=\\d+;t=\\d+)*$',
        maxLength: 255,
        examples: ['"key";r=271;t=33, "organization";r=1105;t=33'],
      }),
    ),
    required: false,
  },
  ETag: header(
    "The entity tag of the response. It changes whenever a visible field changes.",
    text({ pattern: '^(W/)?"[^"]+"$', maxLength: 128, examples: ['"42"'] }),
  ),
  PageETag: {
    ...header(
      "The entity tag of the page. Absent if the page is sent in chunks, and if it has a `next_cursor` and the key is limited to specific networks. It is weak if the page has a `next_cursor`.",
      text({ pattern: '^(W/)?"[^"]+"$', maxLength: 128, examples: ['W/"42"'] }),
    ),
    required: false,
  },
  Location: header(
    "The path of the new record.",
    text({ format: "uri-reference", maxLength: 255 }),
  ),
  IdempotentReplayed: {
    ...header(
      "Present if an earlier request with the same `Idempotency-Key` made the change.",
      text({ enum: ["true"] }),
    ),
    required: false,
  },
  Link: {
    ...header(
      "The path of the next page (RFC 8288). Present if more records follow and the page is not sent in chunks.",
      text({ maxLength: 65_536, examples: ['</api/v1/tags?cursor=k1.Vh3M&limit=50>; rel="next"'] }),
    ),
    required: false,
  },
  Vary: header(
    "The request headers that the format of the response depends on.",
    text({ maxLength: 255, examples: ["Accept"] }),
  ),
  Allow: header(
    "The methods that the path supports.",
    text({ pattern: "^[A-Z]+(, [A-Z]+)*$", maxLength: 64, examples: ["GET, HEAD"] }),
  ),
};

const reference = (name: keyof typeof headerComponents) => ({
  $ref: `#/components/headers/${name}`,
});

const successHeaders = {
  ETag: reference("ETag"),
  "ETag?": reference("PageETag"),
  Location: reference("Location"),
  "Idempotent-Replayed": reference("IdempotentReplayed"),
  "Retry-After": reference("RetryAfterNothing"),
  Vary: reference("Vary"),
  Link: reference("Link"),
} satisfies Record<ResponseHeader, Json>;

/** The headers of a response, by its status. */
export const headersOf = (status: number, own: Iterable<ResponseHeader> = []): Json => ({
  "X-Request-Id": reference("RequestId"),
  "Cache-Control": reference("CacheControl"),
  "X-Content-Type-Options": reference("ContentTypeOptions"),
  "Strict-Transport-Security": reference("TransportSecurity"),
  ...(status !== 304 && { "Content-Security-Policy": reference("SecurityPolicy") }),
  "Access-Control-Allow-Origin": reference("AllowOrigin"),
  "RateLimit-Policy": reference("RateLimitPolicy"),
  RateLimit: reference("RateLimit"),
  ...(status === 401 && { "WWW-Authenticate": reference("Authenticate") }),
  ...(status === 405 && { Allow: reference("Allow") }),
  ...([429, 503].includes(status) && { "Retry-After": reference("RetryAfter") }),
  ...Object.fromEntries(
    [...own].map((name) => [name === "ETag?" ? "ETag" : name, successHeaders[name]]),
  ),
});

const tagList = '^(\\*|"[^"]*"( *, *"[^"]*")*)$';
const weakTagList = '^(\\*|(W/)?"[^"]*"( *, *(W/)?"[^"]*")*)$';
const optional = (name: RequestHeader, description: string, schema: Json) =>
  named("parameters", `${name.replaceAll("-", "")}HeaderParameter`, {
    name,
    in: "header",
    required: false,
    description,
    schema: text(schema),
  });

/** The request headers that operations can declare. */
export const requestHeaders = {
  "If-Match": optional(
    "If-Match",
    "Makes the change only if the record still has one of these entity tags; otherwise the response is 412.",
    { maxLength: 1024, pattern: tagList },
  ),
  "If-None-Match": optional(
    "If-None-Match",
    "With GET, the response is 304 without a body if it would have one of these entity tags. With PUT, nothing changes (412) if the record has one of them; `*` stands for any, so that PUT only creates.",
    { maxLength: 1024, pattern: weakTagList },
  ),
  "Idempotency-Key": optional(
    "Idempotency-Key",
    "A key of your choice for this request. If you repeat the request with the same key within 24 hours, nothing is created twice.",
    { minLength: 1, maxLength: 257, pattern: keyPattern.source },
  ),
} satisfies Record<RequestHeader, Json>;

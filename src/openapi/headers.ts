import { acceptedRequestId, jsonSecurityPolicy, transportSecurity } from "../http/respond.ts";
import type { Json } from "./json-schema.ts";

const text = (keywords: Json) => ({ type: "string", ...keywords });
const header = (description: string, schema: Json) => ({ description, required: true, schema });
const seconds = { type: "integer", format: "int32", minimum: 1, maximum: 86_400, examples: [60] };

/** The headers of answers, by the names of their components. */
export const headerComponents = {
  RequestId: header(
    "The id of the request: yours if you sent one that fits, else a new one.",
    text({
      pattern: acceptedRequestId.source,
      maxLength: 64,
      examples: ["1f6a3c0e-8f57-4f0e-9d8e-3c1b2a495867"],
    }),
  ),
  CacheControl: header("Answers are not to be stored.", text({ const: "no-store" })),
  ContentTypeOptions: header("The media type is to be believed.", text({ const: "nosniff" })),
  TransportSecurity: header(
    "The service is to be reached over HTTPS only.",
    text({ const: transportSecurity }),
  ),
  SecurityPolicy: header(
    "The response loads nothing and appears in no frame.",
    text({ const: jsonSecurityPolicy }),
  ),
  AllowOrigin: {
    ...header(
      "Only in answers to pages of the origins that the operator has listed; none by default.",
      text({ format: "uri", maxLength: 255, examples: ["https://app.example.com"] }),
    ),
    required: false,
  },
  Authenticate: header("How to authenticate (RFC 6750).", text({ const: "Bearer" })),
  RetryAfter: header("After how many seconds to try again.", seconds),
  Allow: header(
    "The methods that the path takes.",
    text({ pattern: "^[A-Z]+(, [A-Z]+)*$", maxLength: 64, examples: ["GET, HEAD"] }),
  ),
};

const named = (name: keyof typeof headerComponents) => ({ $ref: `#/components/headers/${name}` });

/** The headers of an answer with a status. */
export const headersOf = (status: number): Json => ({
  "X-Request-Id": named("RequestId"),
  "Cache-Control": named("CacheControl"),
  "X-Content-Type-Options": named("ContentTypeOptions"),
  "Strict-Transport-Security": named("TransportSecurity"),
  "Content-Security-Policy": named("SecurityPolicy"),
  "Access-Control-Allow-Origin": named("AllowOrigin"),
  ...(status === 401 && { "WWW-Authenticate": named("Authenticate") }),
  ...(status === 405 && { Allow: named("Allow") }),
  ...([429, 503].includes(status) && { "Retry-After": named("RetryAfter") }),
});

/** The header of requests that every operation takes. */
export const requestIdParameter = {
  name: "X-Request-Id",
  in: "header",
  required: false,
  description:
    "Your own id for the request, for your logs and ours. One that does not fit is replaced.",
  schema: text({ pattern: acceptedRequestId.source, maxLength: 64 }),
};

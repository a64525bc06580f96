import { expect } from "vitest";
import * as z from "zod";
import packageJson from "../../package.json" with { type: "json" };
import { type ErrorCode, errorCatalogue } from "../../src/errors/errors.ts";
import type { Answer } from "./api.ts";

/** The fields of `meta` in every response. */
export const meta = { api_version: 1, server_version: packageJson.version };

/** A response as plain data, so that it can be compared in full. */
export const seen = ({ status, body, headers }: Answer) => ({
  status,
  body,
  headers: Object.fromEntries(headers),
});

/** The headers of every response in the envelope. */
export const standardHeaders = {
  // The tests in http/etag check which of the two it is.
  "cache-control": expect.stringMatching(/^(no-store|private, no-cache)$/),
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "content-type": "application/json",
  "strict-transport-security": "max-age=63072000",
  "x-content-type-options": "nosniff",
  "x-request-id": expect.stringMatching(/^[\w-]{1,64}$/),
};

/**
 * The `seen` form of a success with status 200.
 * @param metaOfList the exact additional fields of `meta` in a list; if omitted, any additional
 * fields are allowed
 */
export const succeeded = (
  data: unknown = expect.anything(),
  metaOfList?: Record<string, unknown>,
) => ({
  status: 200,
  body: {
    success: true,
    data,
    meta: metaOfList ? { ...meta, ...metaOfList } : expect.objectContaining(meta),
  },
  headers: expect.objectContaining(standardHeaders),
});

/**
 * The `seen` form of a failure. It must match exactly, including `params`. `openApi` checks that
 * every failure's message is the one that the catalogue has for its `params`.
 */
export const failed = (
  code: ErrorCode,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) => ({
  status: errorCatalogue[code].status,
  body: {
    success: false,
    code,
    error: expect.any(String),
    params,
    meta: { ...meta, request_id: expect.stringMatching(/^[\w-]{1,64}$/) },
  },
  headers: expect.objectContaining({ ...standardHeaders, ...headers }),
});

/** The `seen` form of a 401. */
export const unauthorized = (code: ErrorCode, params: Record<string, unknown> = {}) =>
  failed(code, params, { "www-authenticate": "Bearer" });

/** The `seen` form of a 503, with its outcome and advice. */
export const unavailableWith = (params: { outcome: string; advice: string }) =>
  failed("service_unavailable", { retry_after_seconds: 5, ...params }, { "retry-after": "5" });

/** The `seen` form of a 503 for a request that changed nothing. */
export const unavailable = unavailableWith({ outcome: "unchanged", advice: "repeat" });

/** The `seen` form of a `validation_failed` with issues at these paths, in any order. */
export const invalidAt = (...paths: string[]) =>
  failed("validation_failed", {
    issues: expect.toSatisfy(
      (issues: { path: string }[]) =>
        JSON.stringify(issues.map(({ path }) => path).sort()) === JSON.stringify(paths.sort()),
      `issues at exactly ${paths.join(", ")}`,
    ),
    issue_count: paths.length,
  });

const listBody = z.object({ data: z.array(z.looseObject({ id: z.string() })) });

/** The records in the body of a list. */
export const listed = (body: unknown) => listBody.parse(body).data;

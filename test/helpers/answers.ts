import { expect } from "vitest";
import * as z from "zod";
import packageJson from "../../package.json" with { type: "json" };
import { type ErrorCode, errorCatalogue } from "../../src/errors/errors.ts";
import type { Answer } from "./api.ts";

/** What every answer says about the service. */
export const meta = { api_version: 1, server_version: packageJson.version };

/** An answer as plain data, to be compared as a whole. */
export const seen = ({ status, body, headers }: Answer) => ({
  status,
  body,
  headers: Object.fromEntries(headers),
});

/** The headers that every answer in the envelope carries. */
export const standardHeaders = {
  // Which one, http/etag has.
  "cache-control": expect.stringMatching(/^(no-store|private, no-cache)$/),
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "content-type": "application/json",
  "strict-transport-security": "max-age=63072000",
  "x-content-type-options": "nosniff",
  "x-request-id": expect.stringMatching(/^[\w-]{1,64}$/),
};

/**
 * What `seen` shows of a success with status 200.
 * @param metaOfList what `meta` has beyond that of a record, exactly; without it, anything
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
 * What `seen` shows of a failure, whole: `params` and everything else exactly. `openApi` checks of
 * every failure that its sentence is the catalogue's for its `params`.
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

/** What `seen` shows of a 401. */
export const unauthorized = (code: ErrorCode, params: Record<string, unknown> = {}) =>
  failed(code, params, { "www-authenticate": "Bearer" });

/** What `seen` shows when the service cannot: what is known of it, and what to do. */
export const unavailableWith = (params: { outcome: string; advice: string }) =>
  failed("service_unavailable", { retry_after_seconds: 5, ...params }, { "retry-after": "5" });

/** What `seen` shows when the service cannot, and nothing was changed. */
export const unavailable = unavailableWith({ outcome: "unchanged", advice: "repeat" });

/** What `seen` shows of a request with issues at these paths, in any order. */
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

/** The records of a list's body. */
export const listed = (body: unknown) => listBody.parse(body).data;

import { expect, test } from "vitest";
import { errorCatalogue } from "../../src/http/errors.ts";

test("the catalogue has exactly the codes of the contract, with their statuses", () => {
  const statuses = Object.entries(errorCatalogue).map(([code, { status }]) => [code, status]);
  expect(Object.fromEntries(statuses)).toEqual({
    validation_failed: 400,
    request_malformed_json: 400,
    entity_reference_invalid: 400,
    auth_not_authenticated: 401,
    auth_key_expired: 401,
    auth_key_disabled: 401,
    auth_permission_denied: 403,
    auth_scope_denied: 403,
    entity_not_found: 404,
    route_not_found: 404,
    method_not_allowed: 405,
    request_conflict: 409,
    request_too_large: 413,
    request_unsupported_media_type: 415,
    rate_limit_exceeded: 429,
    internal_error: 500,
    service_unavailable: 503,
  });
});

test.each(Object.entries(errorCatalogue))(
  "%s says what to do in one sentence",
  (_, { message }) => {
    expect(message).toMatch(/^[A-Z].*\.$/);
  },
);

import { type ErrorCode, type ErrorParams, errorCatalogue } from "../errors/errors.ts";
import type { ErrorExamples } from "./describe.ts";
import { exampleFailureMeta, failureName, pascalCase } from "./envelope.ts";
import { named } from "./fold.ts";
import { headersOf } from "./headers.ts";
import type { Json } from "./json-schema.ts";

const id = "3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11";

/** Realistic example parameters for every error. */
const exampleParams: { [Code in ErrorCode]: ErrorParams<Code> } = {
  validation_failed: {
    issues: [
      {
        path: "query.limit",
        message: "must be a whole number from 0 to 1000",
        code: "invalid_format",
      },
    ],
    issue_count: 1,
  },
  request_malformed_json: { reason: "trailing_comma", line: 3, column: 18 },
  request_malformed_xml: {
    line: 482,
    problem: "the report is truncated. Send the complete file after the scan has ended.",
  },
  entity_reference_invalid: { entity: "Network", field: "body.assigned_network_ids", id },
  auth_not_authenticated: {},
  auth_key_expired: { expired_at: "2026-04-01T00:00:00.000Z" },
  auth_key_disabled: {},
  auth_token_expired: { expired_at: "2026-04-22T16:12:37.000Z" },
  organization_suspended: {},
  auth_operator_required: {},
  auth_permission_denied: { required_role: "Owner", role: "Viewer" },
  auth_scope_denied: {},
  entity_not_found: { entity: "Daemon", id },
  route_not_found: { method: "GET", path: "/api/v1/credential" },
  method_not_allowed: { method: "DELETE", allowed: ["GET", "HEAD"] },
  request_not_acceptable: {
    media_types: ["application/json", "text/csv", "application/x-ndjson"],
  },
  request_conflict: {},
  entity_already_exists: { entity: "Tag", field: "body.name", id },
  entity_in_use: { entity: "Network", id, used_by: { hosts: 12, daemons: 1 } },
  binding_conflict: { id },
  history_expired: { history_from: "2026-01-22T00:00:00.000Z" },
  cursor_expired: { history_from: "2026-01-22T00:00:00.000Z" },
  scan_ended: { id, phase: "Complete" },
  no_daemon: { id },
  too_many_scans: { id, maximum: 10 },
  subnet_full: { id, available: 3, requested: 16 },
  deletion_too_large: { entity: "Network", maximum: 20_000 },
  range_too_large: { versions: 1_000_001, maximum: 1_000_000 },
  export_too_large: { maximum: 50_000, unit: "hosts" },
  topology_too_large: { hosts: 20_000, edges: 20_412 },
  precondition_failed: { etag: '"19bfa2c1d4b-2a"' },
  idempotency_key_reused: {},
  request_timeout: {},
  request_too_large: { max_bytes: 1_048_576 },
  request_unsupported_media_type: { media_types: ["application/json"] },
  rate_limit_exceeded: { retry_after_seconds: 60 },
  internal_error: { request_id: "1f6a3c0e-8f57-4f0e-9d8e-3c1b2a495867" },
  service_unavailable: { retry_after_seconds: 5, outcome: "unchanged", advice: "repeat" },
};

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** The union of the errors that share a status, discriminated by `code`. */
export const failureUnion = (codes: readonly ErrorCode[]) => ({
  oneOf: codes.map((code) => reference(failureName(code))),
  discriminator: {
    propertyName: "code",
    mapping: Object.fromEntries(codes.map((code) => [code, reference(failureName(code)).$ref])),
  },
});

/** The component name of a union of errors. */
export const unionName = (codes: readonly ErrorCode[]) => `${joined(codes.map(pascalCase))}Error`;

const joined = (parts: readonly string[]) => parts.join("Or");

/** The name of an example, such as `HostNotFound` for `entity_not_found` with a host. */
function exampleName(code: ErrorCode, params: object = {}): string {
  const name = pascalCase(code);
  return "entity" in params ? name.replace(/^Entity/, `${params.entity}`) : name;
}

/** Describes a response with one of several errors that share a status, with an example of each. */
export function failureResponse(
  status: number,
  codes: readonly ErrorCode[],
  examples: ErrorExamples = {},
): Json {
  const [only = "internal_error"] = codes;
  const names = codes.map((code) => exampleName(code, examples[code]));
  // `InternalError` is the schema of that error.
  const name = joined(names).replace(/Error$/, "Failure");
  return named("responses", name, {
    description: codes.map((code) => `\`${code}\`: ${errorCatalogue[code].meaning}`).join("\n\n"),
    headers: headersOf(status),
    content: {
      "application/json": {
        schema: reference(codes.length === 1 ? failureName(only) : unionName(codes)),
        examples: Object.fromEntries(
          codes.map((code, index) => [
            code,
            named("examples", names[index] ?? code, {
              value: failureExample(code, examples[code]),
            }),
          ]),
        ),
      },
    },
  });
}

const failureExample = <Code extends ErrorCode>(code: Code, params?: ErrorParams<Code>) => ({
  success: false,
  code,
  error: errorCatalogue[code].message(params ?? exampleParams[code]),
  params: params ?? exampleParams[code],
  meta: exampleFailureMeta,
});

/** Groups errors by status. */
export function byStatus(codes: Iterable<ErrorCode>): [number, ErrorCode[]][] {
  const order = Object.keys(errorCatalogue);
  const sorted = [...new Set(codes)].sort(
    (one, other) => order.indexOf(one) - order.indexOf(other),
  );
  const statuses = [...new Set(sorted.map((code) => errorCatalogue[code].status))].sort();
  return statuses.map((status) => [
    status,
    sorted.filter((code) => errorCatalogue[code].status === status),
  ]);
}

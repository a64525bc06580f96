import { describe, expect, test } from "vitest";
import { ApiError, errorCatalogue, type Issue } from "../../src/errors/errors.ts";
import { openApi } from "../helpers/api.ts";
import { mintOrganization } from "../helpers/organization.ts";

test("the catalogue contains exactly the codes of the contract, with their statuses", () => {
  const statuses = Object.entries(errorCatalogue).map(([code, { status }]) => [code, status]);
  expect(Object.fromEntries(statuses)).toEqual({
    validation_failed: 400,
    request_malformed_json: 400,
    request_malformed_xml: 400,
    entity_reference_invalid: 400,
    auth_not_authenticated: 401,
    auth_key_expired: 401,
    auth_key_disabled: 401,
    auth_token_expired: 401,
    organization_suspended: 403,
    auth_operator_required: 403,
    auth_permission_denied: 403,
    auth_scope_denied: 403,
    entity_not_found: 404,
    route_not_found: 404,
    method_not_allowed: 405,
    request_not_acceptable: 406,
    request_conflict: 409,
    entity_already_exists: 409,
    entity_in_use: 409,
    binding_conflict: 409,
    scan_ended: 409,
    no_daemon: 409,
    too_many_scans: 409,
    subnet_full: 409,
    deletion_too_large: 409,
    export_too_large: 409,
    range_too_large: 409,
    topology_too_large: 409,
    history_expired: 410,
    cursor_expired: 410,
    precondition_failed: 412,
    idempotency_key_reused: 422,
    request_timeout: 408,
    request_too_large: 413,
    request_unsupported_media_type: 415,
    rate_limit_exceeded: 429,
    internal_error: 500,
    service_unavailable: 503,
  });
});

test.each(Object.entries(errorCatalogue))(
  "the documentation describes the meaning of %s in sentences",
  (_, { meaning }) => {
    expect(meaning).toMatch(/^[A-Z].*\.$/);
    expect(meaning).not.toMatch(/params\.|API Keys area/);
  },
);

const id = "3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11";
const issue = (path: string, message: string) => ({ path, message, code: "custom" });

const validationFailed = (issues: Issue[]) =>
  new ApiError("validation_failed", { issues, issue_count: issues.length });

const sentences: [error: ApiError, sentence: string][] = [
  [
    validationFailed([issue("body.name", "must have at least 1 character")]),
    "body.name must have at least 1 character.",
  ],
  [
    validationFailed([issue("body.name", "must be a text."), issue("body.tags", "x")]),
    "body.name must be a text; body.tags x.",
  ],
  [
    validationFailed(["a", "b", "c", "d"].map((path) => issue(path, "is wrong."))),
    "a is wrong; b is wrong; c is wrong (and 1 more issue).",
  ],
  [new ApiError("request_malformed_json", { reason: "empty" }), "The body is empty: send JSON."],
  [
    new ApiError("request_malformed_json", { reason: "not_utf8" }),
    "The body is not in UTF-8 (it may be in Latin-1 or UTF-16): send JSON in UTF-8.",
  ],
  [
    new ApiError("request_malformed_json", { reason: "broken_off", line: 2, column: 7 }),
    "The body is truncated at line 2, column 7: send all of it.",
  ],
  [
    new ApiError("request_malformed_json", { reason: "broken_off" }),
    "The body is truncated: send all of it.",
  ],
  [
    new ApiError("request_malformed_json", { reason: "trailing_comma", line: 2, column: 7 }),
    "The body has a trailing comma at line 2, column 7, which JSON does not allow: remove it and send the body again.",
  ],
  [
    new ApiError("request_malformed_json", { line: 2, column: 7 }),
    'The body is not valid JSON at line 2, column 7 (names and strings need double quotes, as in "Acme"): correct it and send it again.',
  ],
  [
    new ApiError("request_malformed_xml", { line: 7, problem: "the tag <host> is not closed." }),
    "Line 7 of the body: the tag <host> is not closed.",
  ],
  [
    new ApiError("entity_reference_invalid", { entity: "Network", field: "body.networks", id }),
    `body.networks: there is no network ${id} in your organization.`,
  ],
  [
    new ApiError("entity_reference_invalid", { entity: "IPAddress", field: "body.ip_address_ids" }),
    "body.ip_address_ids: its host has no such IP address: send one of the same host.",
  ],
  [
    new ApiError("entity_reference_invalid", { entity: "Tag", field: "body.tags" }),
    "body.tags: it refers to a tag that does not exist in your organization.",
  ],
  [
    new ApiError("auth_not_authenticated", {}),
    "This API key or token is unknown: it belongs to another service, or the key was deleted or replaced. A token also ends when its key is disabled.",
  ],
  [
    new ApiError("auth_not_authenticated", { reason: "missing" }),
    "The request has no API key: send it in the header Authorization: Bearer <USER_API_KEY>.",
  ],
  [
    new ApiError("auth_key_expired", { expired_at: "2026-01-02T03:04:05.060Z" }),
    "This API key expired at 2026-01-02T03:04:05.060Z: use another key.",
  ],
  [new ApiError("auth_key_disabled", {}), "This API key is disabled: use another key."],
  [
    new ApiError("auth_not_authenticated", { reason: "invalid_token" }),
    "This is not a valid token: get a new one with POST /api/v1/auth/tokens, and send it unchanged.",
  ],
  [
    new ApiError("auth_token_expired", { expired_at: "2026-01-02T03:04:05.000Z" }),
    "This token expired at 2026-01-02T03:04:05.000Z: get a new one from the service that issued it to you.",
  ],
  [
    new ApiError("auth_scope_denied", { reason: "token" }),
    "A token cannot issue tokens, or create, change, rotate or delete API keys: use an API key.",
  ],
  [
    new ApiError("organization_suspended", {}),
    "The operator of this service has suspended your organization: contact the operator. Its data is kept, and its keys work again once it is resumed.",
  ],
  [
    new ApiError("organization_suspended", { deletes_at: "2026-05-22T00:00:00.000Z" }),
    "The operator of this service has deleted your organization: contact the operator. Its data is kept until 2026-05-22T00:00:00.000Z, and until then it can be resumed.",
  ],
  [
    new ApiError("auth_operator_required", {}),
    "Only operators of the service can call this operation: use an operator key.",
  ],
  [
    new ApiError("auth_permission_denied", { required_role: "Admin", role: "Viewer" }),
    "This needs the role Admin; the key or token has Viewer.",
  ],
  [
    new ApiError("auth_scope_denied", {}),
    "This API key is limited to specific networks, and the operation reaches beyond them. Such a key can change records in its networks (hosts, subnets, services, daemons, imports), and credentials that are assigned only within them. For everything else, use a key without this limit.",
  ],
  [
    new ApiError("auth_scope_denied", {
      reason: "expires_earlier",
      expires_at: "2026-01-02T03:04:05.060Z",
    }),
    "This API key expires at 2026-01-02T03:04:05.060Z, and cannot grant anything to a key that expires later. It can create and change keys that expire no later than itself: send such an expires_at, or use a key that expires later.",
  ],
  [
    new ApiError("auth_scope_denied", { reason: "replaced_plaintext" }),
    "This API key was rotated, and its old plaintext can read keys but not change them: use the newest one.",
  ],
  [
    new ApiError("entity_not_found", { entity: "Daemon", id }),
    `There is no daemon ${id} in your organization.`,
  ],
  [
    new ApiError("entity_not_found", { entity: "Organization", id }),
    `There is no organization ${id} that this key can access.`,
  ],
  [
    new ApiError("route_not_found", { method: "GET", path: "/api/v1/credential" }),
    "GET /api/v1/credential does not exist: see /openapi.json for the operations.",
  ],
  [
    new ApiError("method_not_allowed", { method: "DELETE", allowed: ["GET", "HEAD", "PUT"] }),
    "This path does not support DELETE: use GET, HEAD or PUT.",
  ],
  [
    new ApiError("method_not_allowed", {
      method: "POST",
      allowed: ["GET"],
      nearest: "/api/v1/daemons/provision",
    }),
    "This path does not support POST: use GET, or POST /api/v1/daemons/provision.",
  ],
  [
    new ApiError("precondition_failed", { etag: '"1-2"', is_weak: true }),
    'If-Match contains a weak tag (W/), which never matches: send the ETag as you read it, without W/. The current ETag is "1-2".',
  ],
  [
    new ApiError("method_not_allowed", { method: "GET", allowed: ["POST"] }),
    "This path does not support GET: use POST.",
  ],
  [
    new ApiError("request_not_acceptable", { media_types: ["application/json", "text/csv"] }),
    "Send one of these in the header Accept, or omit it: application/json or text/csv.",
  ],
  [
    new ApiError("request_conflict", {}),
    "Another change was made at the same time: read the record again and repeat the request.",
  ],
  [
    new ApiError("entity_already_exists", { entity: "Tag", field: "body[2].name", id }),
    `body[2].name already exists: the tag ${id} has this value. Use another value, or that record.`,
  ],
  [
    new ApiError("entity_in_use", {
      entity: "Network",
      id,
      used_by: { hosts: 12, daemons: 1 },
    }),
    `The network ${id} is still used by 12 hosts and 1 daemon: delete or change them first, or delete everything with ?cascade=true.`,
  ],
  [
    new ApiError("binding_conflict", { id }),
    `This conflicts with the binding ${id}: change or delete that one first.`,
  ],
  [
    new ApiError("subnet_full", { id, available: 0, requested: 1 }),
    `The subnet ${id} has no available address: delete addresses that are no longer used, or use another subnet.`,
  ],
  [
    new ApiError("subnet_full", { id, available: 3, requested: 16 }),
    `The subnet ${id} has 3 available addresses, and 16 are requested: request fewer, or delete addresses that are no longer used.`,
  ],
  [
    new ApiError("scan_ended", { id, phase: "Complete" }),
    `The scan ${id} has ended (Complete): only waiting or running scans can be cancelled.`,
  ],
  [
    new ApiError("no_daemon", { id }),
    `No reachable daemon is attached to a subnet that contains an address of the host ${id}: provision a daemon there, retry the connection of an unreachable one, or add the host's address.`,
  ],
  [
    new ApiError("too_many_scans", { id, maximum: 10 }),
    `The daemon ${id} has 10 waiting or running scans, the maximum: wait until one has ended, or cancel one.`,
  ],
  [
    new ApiError("deletion_too_large", { entity: "Network", maximum: 20_000 }),
    "The network holds more than 20000 records, the maximum of one deletion: first delete its hosts in batches with POST /api/v1/hosts/bulk-delete.",
  ],
  [
    new ApiError("deletion_too_large", { entity: "Host", maximum: 20_000 }),
    "These hosts hold more than 20000 records, the maximum of one deletion: delete fewer hosts at a time.",
  ],
  [
    new ApiError("deletion_too_large", { entity: "Subnet", maximum: 10_000 }),
    "These subnets hold more than 10000 addresses, the maximum of one deletion: delete fewer subnets at a time, or first change the subnet_id of addresses or delete hosts with POST /api/v1/hosts/bulk-delete.",
  ],
  [
    new ApiError("export_too_large", { maximum: 50_000, unit: "hosts" }),
    "The export holds more than 50000 hosts, the maximum of one response: narrow it with network_id, tag_ids, service or port.",
  ],
  [
    new ApiError("range_too_large", { versions: 1_000_001, maximum: 1_000_000 }),
    "More than 1000000 versions began or ended between these instants, the maximum of one comparison: choose a narrower interval, or filter by network_id, host_id or entity.",
  ],
  [
    new ApiError("topology_too_large", { hosts: 20_000, edges: 20_412 }),
    "The map has 20000 hosts and 20412 edges, too many for one response in this format: request GET /api/v1/topology with network_id, subnet_id, tag_ids, vlan, or host_id and depth, or with detail=subnets of the layer l3.",
  ],
  [
    new ApiError("history_expired", { history_from: "2026-01-02T00:00:00.000Z" }),
    "The organization keeps its history from 2026-01-02T00:00:00.000Z on: choose that instant or a later one.",
  ],
  [
    new ApiError("cursor_expired", { history_from: "2026-01-02T00:00:00.000Z" }),
    "The cursor leads to history that is no longer kept; the organization keeps it from 2026-01-02T00:00:00.000Z on. Start again without a cursor. To follow changes, list the current records and continue from there.",
  ],
  [
    new ApiError("precondition_failed", { etag: '"1-2"' }),
    'The record has changed since you read it, and its ETag is now "1-2": read it again and repeat the change.',
  ],
  [
    new ApiError("idempotency_key_reused", {}),
    "This Idempotency-Key was sent with another request in the last 24 hours: use a new key for each request.",
  ],
  [
    new ApiError("request_timeout", {}),
    "The body arrived too slowly or stalled: send it again, faster or in smaller parts.",
  ],
  [
    new ApiError("request_too_large", { max_bytes: 1_048_576 }),
    "The body is too large: send at most 1048576 bytes.",
  ],
  [
    new ApiError("request_unsupported_media_type", { media_types: ["application/json"] }),
    "Send the body with the header Content-Type: application/json, and without a Content-Encoding.",
  ],
  [
    new ApiError("rate_limit_exceeded", { limit: "scans_of_daemon", retry_after_seconds: 1 }),
    "Too many scans of this daemon were requested within 24 hours: wait 1 second before the next one, or set its scan_schedule.",
  ],
  [
    new ApiError("rate_limit_exceeded", {
      limit: "scans_of_organization",
      retry_after_seconds: 60,
    }),
    "The organization requested too many scans within 24 hours: wait 60 seconds before the next one, or set the scan_schedule of its daemons.",
  ],
  [
    new ApiError("rate_limit_exceeded", {
      limit: "versions_of_organization",
      retry_after_seconds: 3600,
    }),
    "The organization created, changed and tagged too many records of its inventory within 24 hours: wait 3600 seconds before the next change. Reads and deletions still work.",
  ],
  [
    new ApiError("rate_limit_exceeded", { retry_after_seconds: 60 }),
    "Too many requests: wait 60 seconds before the next one.",
  ],
  [
    new ApiError("internal_error", { request_id: "the-request" }),
    "Something went wrong on our side: report it with the request id the-request.",
  ],
  [
    new ApiError("service_unavailable", {
      retry_after_seconds: 1,
      outcome: "unchanged",
      advice: "repeat",
    }),
    "The service is temporarily unavailable, and nothing was changed: repeat the request after 1 second.",
  ],
  [
    new ApiError("service_unavailable", {
      retry_after_seconds: 5,
      outcome: "unknown",
      advice: "repeat",
    }),
    "The outcome of the change is unknown, but making it twice is safe: repeat the request after 5 seconds.",
  ],
  [
    new ApiError("service_unavailable", {
      retry_after_seconds: 5,
      outcome: "unknown",
      advice: "repeat_with_same_key",
    }),
    "The outcome of the change is unknown: repeat the request after 5 seconds with the same Idempotency-Key and body, which creates nothing twice. If you sent no such header, first check whether the record exists.",
  ],
  [
    new ApiError("service_unavailable", {
      retry_after_seconds: 5,
      outcome: "unknown",
      advice: "read_first",
    }),
    "The outcome of the change is unknown: after 5 seconds, read the current state before you repeat the request.",
  ],
  [
    new ApiError("service_unavailable", {
      retry_after_seconds: 5,
      outcome: "unchanged",
      advice: "send_less",
    }),
    "The request took too long, or is too large for one database call, and nothing was changed: send less data at a time. Split an import into imports of at most 1,000 hosts each, send a bulk request with fewer records, or send a host without its children, which have their own bulk requests.",
  ],
  [
    new ApiError("service_unavailable", {
      retry_after_seconds: 5,
      outcome: "unknown",
      advice: "send_less",
    }),
    "The request took too long, or is too large for one database call, and its outcome is unknown: first read the current state (an import is safe to repeat), then send less data at a time. Split an import into imports of at most 1,000 hosts each, send a bulk request with fewer records, or send a host without its children, which have their own bulk requests.",
  ],
];

test.each(sentences)("%s", ({ message }, sentence) => {
  expect(message).toBe(sentence);
});

test("this test has an expected sentence for every code in the catalogue", () => {
  const codes = new Set(sentences.map(([{ code }]) => code));
  expect([...codes].sort()).toEqual(Object.keys(errorCatalogue).sort());
});

describe("a sentence is shorter than 1,000 characters", () => {
  const long = "ü".repeat(100_000);

  test.each([
    validationFailed([issue(long, long), ...Array.from({ length: 9 }, () => issue(long, long))]),
    new ApiError("entity_reference_invalid", { entity: long, field: long, id }),
    new ApiError("entity_already_exists", { entity: long, field: long, id }),
    new ApiError("entity_in_use", { entity: long, id, used_by: { [long]: 1, hosts: 2 } }),
    new ApiError("precondition_failed", { etag: long }),
    new ApiError("route_not_found", { method: long, path: long }),
    new ApiError("method_not_allowed", { method: long, allowed: Array(9).fill(long) }),
    new ApiError("request_unsupported_media_type", { media_types: Array(9).fill(long) }),
    new ApiError("internal_error", { request_id: long }),
    new ApiError("request_too_large", { max_bytes: Number.MAX_SAFE_INTEGER }),
    new ApiError("rate_limit_exceeded", { retry_after_seconds: Number.MAX_SAFE_INTEGER }),
  ])("$code", ({ message }) => {
    expect(message.length).toBeLessThan(1000);
    expect(message).toMatch(/\.$/);
  });

  test("and is never truncated in the middle of a character", () => {
    for (const padding of ["", "x"]) {
      const { message } = validationFailed([issue(padding + "👍".repeat(1000), "is wrong")]);
      expect(message.isWellFormed()).toBe(true);
      expect(message).toContain("👍… is wrong");
    }
  });
});

test("responses contain the sentence with its parameters", async () => {
  const api = openApi();
  const { keys } = await mintOrganization();
  const path = `/api/v1/daemons/${id}`;
  expect(await api.send("GET", path, { key: keys.viewer })).toMatchObject({
    body: { error: `There is no daemon ${id} in your organization.` },
  });
  expect(await api.send("POST", `${path}/retry-connection`, { key: keys.viewer })).toMatchObject({
    body: { error: "This needs the role Member; the key or token has Viewer." },
  });
  expect(await api.send("GET", "/api/v1/bindings?limit=x", { key: keys.viewer })).toMatchObject({
    body: { error: "query.limit must be a whole number from 0 to 1000." },
  });
});

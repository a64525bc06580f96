import { describe, expect, test } from "vitest";
import { ApiError, errorCatalogue, type Issue } from "../../src/errors/errors.ts";
import { openApi } from "../helpers/api.ts";
import { mintOrganization } from "../helpers/organization.ts";

test("the catalogue has exactly the codes of the contract, with their statuses", () => {
  const statuses = Object.entries(errorCatalogue).map(([code, { status }]) => [code, status]);
  expect(Object.fromEntries(statuses)).toEqual({
    validation_failed: 400,
    request_malformed_json: 400,
    request_malformed_xml: 400,
    entity_reference_invalid: 400,
    auth_not_authenticated: 401,
    auth_key_expired: 401,
    auth_key_disabled: 401,
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
    too_many_scans: 409,
    deletion_too_large: 409,
    export_too_large: 409,
    range_too_large: 409,
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
  "the documents say in one sentence what %s means",
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
    "The body breaks off at line 2, column 7: send all of it.",
  ],
  [
    new ApiError("request_malformed_json", { reason: "broken_off" }),
    "The body breaks off: send all of it.",
  ],
  [
    new ApiError("request_malformed_json", { reason: "trailing_comma", line: 2, column: 7 }),
    "The body has a comma at line 2, column 7 behind the last of its list or object: JSON has none there. Remove it and send it again.",
  ],
  [
    new ApiError("request_malformed_json", { line: 2, column: 7 }),
    'The body ceases to be JSON at line 2, column 7 (names and texts need double quotes, as in "Acme"): correct it and send it again.',
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
    "body.ip_address_ids: its host has no such IP address: name one of the same host.",
  ],
  [
    new ApiError("entity_reference_invalid", { entity: "Tag", field: "body.tags" }),
    "body.tags: a tag that it names does not exist in your organization.",
  ],
  [
    new ApiError("auth_not_authenticated", {}),
    "This API key is not known here: it was deleted or replaced, or belongs to another service.",
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
    new ApiError("auth_permission_denied", { required_role: "Admin", role: "Viewer" }),
    "This needs the role Admin; the key has Viewer.",
  ],
  [
    new ApiError("auth_scope_denied", {}),
    "This API key is limited to networks, and the operation reaches beyond them. Such a key changes what lies in its networks (hosts, subnets, services, daemons, imports) and credentials that are assigned within them alone: for all else, keys included, use a key that is not limited.",
  ],
  [
    new ApiError("auth_scope_denied", {
      reason: "expires_earlier",
      expires_at: "2026-01-02T03:04:05.060Z",
    }),
    "This API key expires at 2026-01-02T03:04:05.060Z, and gives nothing to a key that lasts longer. It may make and change keys that expire no later: send such an expires_at, or use a key that lasts longer.",
  ],
  [
    new ApiError("auth_scope_denied", { reason: "replaced_plaintext" }),
    "This plaintext of the API key was replaced, and until it ends it reads keys but changes none: use the newest one.",
  ],
  [
    new ApiError("entity_not_found", { entity: "Daemon", id }),
    `There is no daemon ${id} in your organization.`,
  ],
  [
    new ApiError("entity_not_found", { entity: "Organization", id }),
    `This key belongs to no organization ${id}.`,
  ],
  [
    new ApiError("route_not_found", { method: "GET", path: "/api/v1/credential" }),
    "There is nothing at GET /api/v1/credential: see /openapi.json for the operations.",
  ],
  [
    new ApiError("method_not_allowed", { method: "DELETE", allowed: ["GET", "HEAD", "PUT"] }),
    "This path does not take DELETE: use GET, HEAD or PUT.",
  ],
  [
    new ApiError("method_not_allowed", {
      method: "POST",
      allowed: ["GET"],
      nearest: "/api/v1/daemons/provision",
    }),
    "This path does not take POST: use GET, or POST /api/v1/daemons/provision.",
  ],
  [
    new ApiError("precondition_failed", { etag: '"1-2"', is_weak: true }),
    'If-Match has a weak tag (W/), which never matches: send the ETag as you read it, without W/. It is now "1-2".',
  ],
  [
    new ApiError("method_not_allowed", { method: "GET", allowed: ["POST"] }),
    "This path does not take GET: use POST.",
  ],
  [
    new ApiError("request_not_acceptable", { media_types: ["application/json", "text/csv"] }),
    "Send the header Accept with one of these, or leave it out: application/json or text/csv.",
  ],
  [
    new ApiError("request_conflict", {}),
    "Another change was made at the same time: read the record again and repeat the request.",
  ],
  [
    new ApiError("entity_already_exists", { entity: "Tag", field: "body[2].name", id }),
    `body[2].name is taken by the tag ${id}: use another one, or that record.`,
  ],
  [
    new ApiError("entity_in_use", {
      entity: "Network",
      id,
      used_by: { hosts: 12, daemons: 1 },
    }),
    `The network ${id} is still used by 12 hosts and 1 daemon: delete or change them first, or delete it with ?cascade=true, and them along with it.`,
  ],
  [
    new ApiError("binding_conflict", { id }),
    `The binding ${id} stands in the way: change or delete it first.`,
  ],
  [
    new ApiError("scan_ended", { id, phase: "Complete" }),
    `The scan ${id} has ended (Complete): only one that waits or runs can be cancelled.`,
  ],
  [
    new ApiError("too_many_scans", { id, maximum: 10 }),
    `The daemon ${id} has 10 scans that wait or run, and takes no more: wait until one has ended, or cancel one.`,
  ],
  [
    new ApiError("deletion_too_large", { entity: "Network", maximum: 20_000 }),
    "The network holds more than 20000 records, and one request deletes no more: first delete its hosts, some at a time, with POST /api/v1/hosts/bulk-delete.",
  ],
  [
    new ApiError("deletion_too_large", { entity: "Host", maximum: 20_000 }),
    "These hosts hold more than 20000 records, and one request deletes no more: delete fewer hosts at a time.",
  ],
  [
    new ApiError("deletion_too_large", { entity: "Subnet", maximum: 10_000 }),
    "What is to be deleted holds more than 10000 addresses, and one request takes no more out of it: delete fewer subnets at a time, or first give addresses another subnet_id, or delete hosts with POST /api/v1/hosts/bulk-delete.",
  ],
  [
    new ApiError("export_too_large", { maximum: 50_000, unit: "hosts" }),
    "The export holds more than 50000 hosts, and one response carries no more: ask for a part of it, with network_id, tag_ids, service or port.",
  ],
  [
    new ApiError("range_too_large", { versions: 1_000_001, maximum: 1_000_000 }),
    "More than 1000000 versions began or ended between these instants, and one comparison looks at no more: bring from and to closer together, or ask with network_id, host_id or entity for a part of it.",
  ],
  [
    new ApiError("history_expired", { history_from: "2026-01-02T00:00:00.000Z" }),
    "The organization keeps its history from 2026-01-02T00:00:00.000Z on: ask for that instant or a later one.",
  ],
  [
    new ApiError("cursor_expired", { history_from: "2026-01-02T00:00:00.000Z" }),
    "The cursor leads to history that the organization keeps no longer, which is from 2026-01-02T00:00:00.000Z on: begin anew without it. A reader of changes lists everything as it is now, and follows from there.",
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
    "The body came too slowly or stalled: send it again, faster or in smaller parts.",
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
    "The daemon was asked for too many scans within 24 hours: wait 1 second before the next one, or give it a scan_schedule.",
  ],
  [
    new ApiError("rate_limit_exceeded", {
      limit: "scans_of_organization",
      retry_after_seconds: 60,
    }),
    "The organization asked for too many scans within 24 hours: wait 60 seconds before the next one, or give daemons a scan_schedule.",
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
    "The service cannot answer right now, and nothing was changed: repeat the request after 1 second.",
  ],
  [
    new ApiError("service_unavailable", {
      retry_after_seconds: 5,
      outcome: "unknown",
      advice: "repeat",
    }),
    "The service cannot say whether the change was made, but it is safe to make it twice: repeat the request after 5 seconds.",
  ],
  [
    new ApiError("service_unavailable", {
      retry_after_seconds: 5,
      outcome: "unknown",
      advice: "repeat_with_same_key",
    }),
    "The service cannot say whether the change was made: repeat the request after 5 seconds with the same Idempotency-Key and body, which creates nothing twice. If you sent no such header, read first what is there.",
  ],
  [
    new ApiError("service_unavailable", {
      retry_after_seconds: 5,
      outcome: "unknown",
      advice: "read_first",
    }),
    "The service cannot say whether the change was made: read what is there before you repeat the request, after 5 seconds.",
  ],
  [
    new ApiError("service_unavailable", {
      retry_after_seconds: 5,
      outcome: "unchanged",
      advice: "send_less",
    }),
    "The request took longer than it may, or is larger than the database takes at once, and nothing was changed: send less at a time. Send an import as several of at most 1,000 hosts each, a bulk request with fewer records, and a host without its children, which have bulk requests of their own.",
  ],
  [
    new ApiError("service_unavailable", {
      retry_after_seconds: 5,
      outcome: "unknown",
      advice: "send_less",
    }),
    "The request took longer than it may, or is larger than the database takes at once, and all of it was changed or nothing: read first what is there (not after an import, which is safe to repeat), and send less at a time. Send an import as several of at most 1,000 hosts each, a bulk request with fewer records, and a host without its children, which have bulk requests of their own.",
  ],
];

test.each(sentences)("%s", ({ message }, sentence) => {
  expect(message).toBe(sentence);
});

test("every code of the catalogue has its sentence here", () => {
  const codes = new Set(sentences.map(([{ code }]) => code));
  expect([...codes].sort()).toEqual(Object.keys(errorCatalogue).sort());
});

describe("a sentence stays below 1,000 characters", () => {
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

  test("and is not cut within a character", () => {
    for (const padding of ["", "x"]) {
      const { message } = validationFailed([issue(padding + "👍".repeat(1000), "is wrong")]);
      expect(message.isWellFormed()).toBe(true);
      expect(message).toContain("👍… is wrong");
    }
  });
});

test("the caller gets the sentence with the facts", async () => {
  const api = openApi();
  const { keys } = await mintOrganization();
  const path = `/api/v1/daemons/${id}`;
  expect(await api.send("GET", path, { key: keys.viewer })).toMatchObject({
    body: { error: `There is no daemon ${id} in your organization.` },
  });
  expect(await api.send("POST", `${path}/retry-connection`, { key: keys.viewer })).toMatchObject({
    body: { error: "This needs the role Member; the key has Viewer." },
  });
  expect(await api.send("GET", "/api/v1/bindings?limit=x", { key: keys.viewer })).toMatchObject({
    body: { error: "query.limit must be a whole number from 0 to 1000." },
  });
});

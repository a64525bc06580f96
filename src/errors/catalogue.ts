import * as z from "zod";
import { roles } from "../roles.ts";
import { define, fixed, issueSchema, maxIssues, textUpTo } from "./definition.ts";
import { count, cut, listed, listedWithAnd, readable, withArticle } from "./sentence.ts";

const retryAfter = z.object({ retry_after_seconds: z.int().positive() });
const unavailable = retryAfter.extend({
  outcome: z.enum(["unchanged", "unknown"]).meta({
    description:
      "Whether the request is known to have changed nothing. What is unknown was changed whole or not at all.",
  }),
  advice: z
    .enum(["repeat", "repeat_with_same_key", "read_first", "send_less"])
    .meta({ description: "What to do after that time, as `error` says it in words." }),
});
const keptHistory = z.object({
  history_from: z.iso.datetime().meta({ description: "From which instant on all is kept." }),
});
const role = z.enum(roles);
const entity = textUpTo(64);
const method = textUpTo(32);
const field = z.string().meta({
  maxLength: 200,
  description: "Where it stands, like the `path` of an issue: `body.name`, `body[12].name`.",
});

/** What a caller does whom the service could not answer. */
function unavailability({
  retry_after_seconds,
  outcome,
  advice,
}: z.output<typeof unavailable>): string {
  const after = `after ${count(retry_after_seconds, "second")}`;
  const isUnknown = outcome === "unknown";
  switch (advice) {
    case "repeat":
      return isUnknown
        ? `The service cannot say whether the change was made, but it is safe to make it twice: repeat the request ${after}.`
        : `The service cannot answer right now, and nothing was changed: repeat the request ${after}.`;
    case "repeat_with_same_key":
      return `The service cannot say whether the change was made: repeat the request ${after} with the same Idempotency-Key and body, which creates nothing twice. If you sent no such header, read first what is there.`;
    case "read_first":
      return `The service cannot say whether the change was made: read what is there before you repeat the request, ${after}.`;
    case "send_less":
      return `The request took longer than it may, or is larger than the database takes at once, and ${
        isUnknown
          ? "all of it was changed or nothing: read first what is there (not after an import, which is safe to repeat), and"
          : "nothing was changed:"
      } send less at a time. Send an import as several of at most 1,000 hosts each, a bulk request with fewer records, and a host without its children, which have bulk requests of their own.`;
  }
}

/** Where a key belongs. */
const keyHeader = "Authorization: Bearer <USER_API_KEY>";

/** What is wrong with the way in which a key was sent, by the reason. */
const unpresented = {
  missing: `The request has no API key: send it in the header ${keyHeader}.`,
  other_header: `The API key is expected in another header: ${keyHeader}.`,
  in_url: `An API key in the URL is not read, and may have been logged on its way: replace it with POST /api/v1/auth/keys/{id}/rotate, and send the new one in the header ${keyHeader}.`,
  other_scheme: `The header Authorization has another form than Bearer: send ${keyHeader}.`,
  malformed:
    "This is no API key, which begins with inv_u_ and has 44 characters, or one of its characters is wrong: copy it again.",
  daemon_key: "This is the key of a daemon, which only the daemon uses: send an API key.",
};

/** What an API key may do that an operation reaches beyond, by the reason. */
const beyondKey = {
  limited: () =>
    "This API key is limited to networks, and the operation reaches beyond them. Such a key changes what lies in its networks (hosts, subnets, services, daemons, imports) and credentials that are assigned within them alone: for all else, keys included, use a key that is not limited.",
  expires_earlier: (expiresAt = "some day") =>
    `This API key expires at ${expiresAt}, and gives nothing to a key that lasts longer. It may make and change keys that expire no later: send such an expires_at, or use a key that lasts longer.`,
  replaced_plaintext: () =>
    "This plaintext of the API key was replaced, and until it ends it reads keys but changes none: use the newest one.",
};

/** The first issues of a request, as `error` names them. */
const namedIssues = 3;

/** What a caller does after a 429, by the limit. */
const tooMuch = {
  requests: (seconds: number) =>
    `Too many requests: wait ${count(seconds, "second")} before the next one.`,
  tests_of_webhook: (seconds: number) =>
    `A test is under way, or the webhook was tested 10 times within a minute: wait ${count(seconds, "second")} before the next test.`,
  scans_of_daemon: (seconds: number) =>
    `The daemon was asked for too many scans within 24 hours: wait ${count(seconds, "second")} before the next one, or give it a scan_schedule.`,
  scans_of_organization: (seconds: number) =>
    `The organization asked for too many scans within 24 hours: wait ${count(seconds, "second")} before the next one, or give daemons a scan_schedule.`,
  versions_of_organization: (seconds: number) =>
    `The organization created, changed and tagged too many records of its inventory within 24 hours: wait ${count(seconds, "second")} before the next change. Reads and deletions still work.`,
  audit_entries_of_organization: (seconds: number) =>
    `The organization created, changed and tagged too many records within 24 hours: wait ${count(seconds, "second")} before the next change. Reads and deletions still work.`,
};

/** Every error with its status, its parameters and its sentence (API contract, section 6). */
export const definitions = {
  validation_failed: define({
    status: 400,
    meaning: "The request is not valid: correct every issue and send it again.",
    params: () =>
      z.object({
        issues: z.array(issueSchema).min(1).max(maxIssues),
        issue_count: z.int().positive(),
      }),
    message: ({ issues, issue_count }) => {
      const named = issues
        .slice(0, namedIssues)
        .map(({ path, message }) => `${cut(path, 100)} ${cut(message, 200).replace(/\.$/, "")}`);
      const rest = issue_count - named.length;
      return `${named.join("; ")}${rest > 0 ? ` (and ${count(rest, "more issue")})` : ""}.`;
    },
  }),
  request_malformed_json: define({
    status: 400,
    meaning: "The body is not well-formed JSON in UTF-8: correct it and send it again.",
    params: () =>
      z.object({
        reason: z
          .enum(["empty", "not_utf8", "broken_off", "trailing_comma"])
          .optional()
          .meta({ description: "What is wrong, where it is one of these." }),
        line: z.int().positive().optional().meta({ description: "Where it ceases to be JSON." }),
        column: z.int().positive().optional(),
      }),
    message: ({ reason, line, column }) => {
      const place = line === undefined ? "" : ` at line ${line}, column ${column ?? 1}`;
      switch (reason) {
        case "empty":
          return "The body is empty: send JSON.";
        case "not_utf8":
          return "The body is not in UTF-8 (it may be in Latin-1 or UTF-16): send JSON in UTF-8.";
        case "broken_off":
          return `The body breaks off${place}: send all of it.`;
        case "trailing_comma":
          return `The body has a comma${place} behind the last of its list or object: JSON has none there. Remove it and send it again.`;
        default:
          return `The body ceases to be JSON${place} (names and texts need double quotes, as in "Acme"): correct it and send it again.`;
      }
    },
  }),
  request_malformed_xml: define({
    status: 400,
    meaning:
      "The body is not one complete report of nmap as XML: do what the error says, or scan again.",
    params: () => z.object({ line: z.int().positive(), problem: textUpTo(500) }),
    message: ({ line, problem }) => `Line ${line} of the body: ${cut(problem, 500)}`,
  }),
  entity_reference_invalid: define({
    status: 400,
    meaning:
      "The request refers to a record that does not exist in your organization: correct the field.",
    params: () => z.object({ entity, field, id: z.guid().optional() }),
    message: ({ entity, field, id }) =>
      // These are always wanted of a certain host, and may well be of another one.
      entity === "Port" || entity === "IPAddress"
        ? `${cut(field, 200)}: its host has no ${id === undefined ? `such ${readable(entity)}` : `${readable(entity)} ${id}`}: name one of the same host.`
        : id === undefined
          ? `${cut(field, 200)}: ${withArticle(readable(entity))} that it names does not exist in your organization.`
          : `${cut(field, 200)}: there is no ${readable(entity)} ${id} in your organization.`,
  }),
  auth_not_authenticated: define({
    status: 401,
    meaning:
      "The key is missing, malformed or unknown: send a valid API key in the header Authorization: Bearer <USER_API_KEY>.",
    params: () =>
      z.object({
        reason: z
          .enum(["missing", "other_header", "in_url", "other_scheme", "malformed", "daemon_key"])
          .optional()
          .meta({
            description: "What is wrong with how the key was sent; absent of an unknown key.",
          }),
      }),
    message: ({ reason }) =>
      reason === undefined
        ? "This API key is not known here: it was deleted or replaced, or belongs to another service."
        : unpresented[reason],
  }),
  auth_key_expired: define({
    status: 401,
    meaning: "This API key has expired: use another key.",
    params: () => z.object({ expired_at: z.iso.datetime() }),
    message: ({ expired_at }) => `This API key expired at ${expired_at}: use another key.`,
  }),
  auth_key_disabled: fixed(401, "This API key is disabled: use another key."),
  auth_permission_denied: define({
    status: 403,
    meaning: "The role of this API key is too low for the operation: use a key with a higher one.",
    params: () => z.object({ required_role: role, role }),
    message: (params) => `This needs the role ${params.required_role}; the key has ${params.role}.`,
  }),
  auth_scope_denied: define({
    status: 403,
    meaning:
      "The operation reaches beyond this API key: beyond the networks that it is limited to, or beyond its own end. Use a key that reaches every network of the organization and lasts long enough, by its newest plaintext.",
    params: () =>
      z.object({
        reason: z
          .enum(["expires_earlier", "replaced_plaintext"])
          .optional()
          .meta({ description: "Absent of a key that is limited to networks." }),
        expires_at: z.iso.datetime().optional().meta({ description: "When this key expires." }),
      }),
    message: ({ reason, expires_at }) => beyondKey[reason ?? "limited"](expires_at),
  }),
  entity_not_found: define({
    status: 404,
    meaning: "There is no such record in your organization: check the id.",
    params: () => z.object({ entity, id: z.guid() }),
    message: ({ entity, id }) =>
      entity === "Organization"
        ? `This key belongs to no organization ${id}.`
        : `There is no ${readable(entity)} ${id} in your organization.`,
  }),
  route_not_found: define({
    status: 404,
    meaning: "There is nothing at this path: see /openapi.json for the operations.",
    params: () =>
      z.object({
        method,
        path: textUpTo(16_384),
        nearest: textUpTo(200).optional().meta({ description: "A path that may have been meant." }),
      }),
    message: ({ method, path, nearest }) =>
      `There is nothing at ${cut(method, 20)} ${cut(path, 500)}: ${
        nearest === undefined ? "see" : `did you mean ${cut(nearest, 100)}? See`
      } /openapi.json for the operations.`,
  }),
  method_not_allowed: define({
    status: 405,
    meaning: "This path does not take the method: use one that the header Allow lists.",
    params: () =>
      z.object({
        method,
        allowed: z.array(method).min(1).max(9),
        nearest: textUpTo(200)
          .optional()
          .meta({ description: "A path that takes the method and may have been meant." }),
      }),
    message: ({ method, allowed, nearest }) =>
      `This path does not take ${cut(method, 20)}: use ${cut(listed(allowed), 200)}${
        nearest === undefined ? "" : `, or ${cut(method, 20)} ${cut(nearest, 200)}`
      }.${
        method === "OPTIONS"
          ? " Web pages of another origin may use it once the operator lists that origin in CORS_ORIGINS."
          : ""
      }`,
  }),
  request_not_acceptable: define({
    status: 406,
    meaning: "The operation has no form that the header Accept takes: ask for one that it has.",
    params: () => z.object({ media_types: z.array(textUpTo(100)).min(1).max(9) }),
    message: ({ media_types }) =>
      `Send the header Accept with one of these, or leave it out: ${cut(listed(media_types), 200)}.`,
  }),
  request_conflict: fixed(
    409,
    "Another change was made at the same time: read the record again and repeat the request.",
  ),
  entity_already_exists: define({
    status: 409,
    meaning:
      "A record of your organization has this id, name or natural key already: use another one, or that record.",
    params: () => z.object({ entity, field, id: z.guid() }),
    message: ({ entity, field, id }) =>
      `${cut(field, 200)} is taken by the ${readable(entity)} ${id}: use another one, or that record.`,
  }),
  entity_in_use: define({
    status: 409,
    meaning: "Other records still depend on this one: delete or change them first.",
    params: () =>
      z.object({
        entity,
        id: z.guid(),
        used_by: z.record(textUpTo(64), z.int().positive()),
      }),
    message: ({ entity, id, used_by }) =>
      entity === "ApiKey"
        ? `The API key ${id} is the last Owner key of its organization that is enabled, reaches every network and never expires: create another such key first.`
        : `The ${readable(entity)} ${id} is still used by ${listedWithAnd(
            Object.entries(used_by).map(([nouns, number]) =>
              count(number, cut(nouns.replace(/(?<=ss)es$|s$/, ""), 64)),
            ),
          )}: delete or change them first${entity === "Network" ? ", or delete it with ?cascade=true, and them along with it" : ""}.`,
  }),
  deletion_too_large: define({
    status: 409,
    meaning: "The deletion takes more records along than one request deletes: delete in steps.",
    params: () =>
      z.object({
        entity: z.enum(["Network", "Host", "Subnet"]),
        maximum: z.int().positive(),
      }),
    message: ({ entity, maximum }) =>
      ({
        Network: `The network holds more than ${count(maximum, "record")}, and one request deletes no more: first delete its hosts, some at a time, with POST /api/v1/hosts/bulk-delete.`,
        Host: `These hosts hold more than ${count(maximum, "record")}, and one request deletes no more: delete fewer hosts at a time.`,
        Subnet: `What is to be deleted holds more than ${maximum} addresses, and one request takes no more out of it: delete fewer subnets at a time, or first give addresses another subnet_id, or delete hosts with POST /api/v1/hosts/bulk-delete.`,
      })[entity],
  }),
  export_too_large: define({
    status: 409,
    meaning: "The export holds more than one response carries: narrow it with its filters.",
    params: () =>
      z.object({
        maximum: z.int().positive(),
        unit: z.enum(["hosts", "bytes", "groups", "members"]),
      }),
    message: ({ maximum, unit }) =>
      `The export holds more than ${maximum} ${unit === "members" ? "members of groups" : unit}, and one response carries no more: ask for a part of it, with network_id, tag_ids, service or port.`,
  }),
  range_too_large: define({
    status: 409,
    meaning:
      "More changed between the two instants than one comparison looks at: ask for a narrower interval, a network or a host.",
    params: () => z.object({ versions: z.int().positive(), maximum: z.int().positive() }),
    message: ({ maximum }) =>
      `More than ${count(maximum, "version")} began or ended between these instants, and one comparison looks at no more: bring from and to closer together, or ask with network_id, host_id or entity for a part of it.`,
  }),
  history_expired: define({
    status: 410,
    meaning:
      "The instant lies before what the organization keeps: ask for one from `history_from` on.",
    params: () => keptHistory,
    message: ({ history_from }) =>
      `The organization keeps its history from ${history_from} on: ask for that instant or a later one.`,
  }),
  cursor_expired: define({
    status: 410,
    meaning:
      "The cursor leads to history that the organization keeps no longer: begin anew without it.",
    params: () => keptHistory,
    message: ({ history_from }) =>
      `The cursor leads to history that the organization keeps no longer, which is from ${history_from} on: begin anew without it. A reader of changes lists everything as it is now, and follows from there.`,
  }),
  precondition_failed: define({
    status: 412,
    meaning: "The record has changed since you read it: read it again and repeat the change.",
    params: () =>
      z.object({
        etag: textUpTo(128),
        is_weak: z
          .boolean()
          .optional()
          .meta({ description: "Whether If-Match has weak tags alone, which never match." }),
      }),
    message: ({ etag, is_weak }) =>
      is_weak
        ? `If-Match has a weak tag (W/), which never matches: send the ETag as you read it, without W/. It is now ${cut(etag, 100)}.`
        : `The record has changed since you read it, and its ETag is now ${cut(etag, 100)}: read it again and repeat the change.`,
  }),
  binding_conflict: define({
    status: 409,
    meaning: "Another binding stands in the way: change or delete it first.",
    params: () => z.object({ id: z.guid() }),
    message: ({ id }) => `The binding ${id} stands in the way: change or delete it first.`,
  }),
  scan_ended: define({
    status: 409,
    meaning: "The scan has ended: only one that waits or runs can be cancelled.",
    params: () => z.object({ id: z.guid(), phase: textUpTo(64) }),
    message: ({ id, phase }) =>
      `The scan ${id} has ended (${cut(phase, 64)}): only one that waits or runs can be cancelled.`,
  }),
  too_many_scans: define({
    status: 409,
    meaning:
      "The daemon has as many scans as may wait or run: wait until one has ended, or cancel one.",
    params: () => z.object({ id: z.guid(), maximum: z.int().positive() }),
    message: ({ id, maximum }) =>
      `The daemon ${id} has ${count(maximum, "scan")} that wait or run, and takes no more: wait until one has ended, or cancel one.`,
  }),
  idempotency_key_reused: fixed(
    422,
    "This Idempotency-Key was sent with another request in the last 24 hours: use a new key for each request.",
  ),
  request_timeout: fixed(
    408,
    "The body came too slowly or stalled: send it again, faster or in smaller parts.",
  ),
  request_too_large: define({
    status: 413,
    meaning: "The body is too large: send a smaller one.",
    params: () => z.object({ max_bytes: z.int().positive() }),
    message: ({ max_bytes }) => `The body is too large: send at most ${max_bytes} bytes.`,
  }),
  request_unsupported_media_type: define({
    status: 415,
    meaning:
      "The operation does not take a body of this media type, or one with a Content-Encoding: send it in a form that the operation takes.",
    params: () => z.object({ media_types: z.array(textUpTo(100)).min(1).max(9) }),
    message: ({ media_types }) =>
      `Send the body with the header Content-Type: ${cut(listed(media_types), 200)}, and without a Content-Encoding.`,
  }),
  rate_limit_exceeded: define({
    status: 429,
    meaning: "Too many requests: wait as long as the header Retry-After says.",
    params: () =>
      retryAfter.extend({
        limit: z
          .enum([
            "tests_of_webhook",
            "scans_of_daemon",
            "scans_of_organization",
            "versions_of_organization",
            "audit_entries_of_organization",
          ])
          .optional()
          .meta({
            description:
              "The limit that was reached, of a day or of the tests of a webhook; absent where it is one of requests or streams.",
          }),
      }),
    message: ({ retry_after_seconds, limit }) => tooMuch[limit ?? "requests"](retry_after_seconds),
  }),
  internal_error: define({
    status: 500,
    meaning: "Something went wrong on our side: report it with the request id.",
    params: () => z.object({ request_id: textUpTo(64) }),
    message: ({ request_id }) =>
      `Something went wrong on our side: report it with the request id ${cut(request_id, 64)}.`,
  }),
  service_unavailable: define({
    status: 503,
    meaning:
      "The service cannot answer right now: do what `advice` says, after the time in the header Retry-After. `outcome` says whether anything may have been changed.",
    params: () => unavailable,
    message: unavailability,
  }),
};

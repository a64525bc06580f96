import * as z from "zod";
import { roles } from "../roles.ts";
import { define, fixed, issueSchema, maxIssues, textUpTo } from "./definition.ts";
import { count, cut, listed, listedWithAnd, readable, withArticle } from "./sentence.ts";

const retryAfter = z.object({ retry_after_seconds: z.int().positive() });
const unavailable = retryAfter.extend({
  outcome: z.enum(["unchanged", "unknown"]).meta({
    description:
      "`unchanged`: the request changed nothing. `unknown`: the change was made either completely or not at all.",
  }),
  advice: z
    .enum(["repeat", "repeat_with_same_key", "read_first", "send_less"])
    .meta({ description: "The action to take after that time. `error` describes it in words." }),
});
const keptHistory = z.object({
  history_from: z.iso
    .datetime()
    .meta({ description: "The complete history is kept from this instant on." }),
});
const role = z.enum(roles);
const entity = textUpTo(64);
const method = textUpTo(32);
const field = z.string().meta({
  maxLength: 200,
  description:
    "The location of the field, like the `path` of an issue: `body.name`, `body[12].name`.",
});

/** The sentences for a 503, by advice. */
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
        ? `The outcome of the change is unknown, but making it twice is safe: repeat the request ${after}.`
        : `The service is temporarily unavailable, and nothing was changed: repeat the request ${after}.`;
    case "repeat_with_same_key":
      return `The outcome of the change is unknown: repeat the request ${after} with the same Idempotency-Key and body, which creates nothing twice. If you sent no such header, first check whether the record exists.`;
    case "read_first":
      return `The outcome of the change is unknown: ${after}, read the current state before you repeat the request.`;
    case "send_less":
      return `The request took too long, or is too large for one database call, and ${
        isUnknown
          ? "its outcome is unknown: first read the current state (an import is safe to repeat), then"
          : "nothing was changed:"
      } send less data at a time. Split an import into imports of at most 1,000 hosts each, send a bulk request with fewer records, or send a host without its children, which have their own bulk requests.`;
  }
}

const keyHeader = "Authorization: Bearer <USER_API_KEY>";

/** Sentences for keys that were sent incorrectly, by reason. */
const unpresented = {
  missing: `The request has no API key: send it in the header ${keyHeader}.`,
  other_header: `The API key is expected in another header: ${keyHeader}.`,
  in_url: `API keys in the URL are not accepted, and this one may have been logged: replace it with POST /api/v1/auth/keys/{id}/rotate, and send the new one in the header ${keyHeader}.`,
  other_scheme: `The header Authorization must use the scheme Bearer: send ${keyHeader}.`,
  malformed:
    "This is not a valid API key: a key begins with inv_u_, has 44 characters and ends with a checksum. Copy it again.",
  invalid_token:
    "This is not a valid token: get a new one with POST /api/v1/auth/tokens, and send it unchanged.",
  daemon_key: "This is a daemon's key, which only the daemon can use: send an API key.",
  operator_key:
    "This is an operator key, which cannot access the data of an organization: send an API key of the organization.",
};

/** Error messages for operations beyond the scope of an API key, by reason. */
const beyondKey = {
  limited: () =>
    "This API key is limited to specific networks, and the operation reaches beyond them. Such a key can change records in its networks (hosts, subnets, services, daemons, imports), and credentials that are assigned only within them. For everything else, use a key without this limit.",
  expires_earlier: (expiresAt = "a fixed time") =>
    `This API key expires at ${expiresAt}, and cannot grant anything to a key that expires later. It can create and change keys that expire no later than itself: send such an expires_at, or use a key that expires later.`,
  token: () =>
    "A token cannot issue tokens, or create, change, rotate or delete API keys: use an API key.",
  replaced_plaintext: () =>
    "This API key was rotated, and its old plaintext can read keys but not change them: use the newest one.",
};

/** Maximum number of issues that `error` names. */
const namedIssues = 3;

/** Sentences for a 429, by limit. */
const tooMuch = {
  requests: (seconds: number) =>
    `Too many requests: wait ${count(seconds, "second")} before the next one.`,
  tokens_of_key: (seconds: number) =>
    `This API key has issued 10,000 tokens that are still valid: wait ${count(seconds, "second")} before you issue the next one, or issue tokens that expire earlier.`,
  tests_of_webhook: (seconds: number) =>
    `A test is in progress, or the webhook was tested 10 times within a minute: wait ${count(seconds, "second")} before the next test.`,
  scans_of_daemon: (seconds: number) =>
    `Too many scans of this daemon were requested within 24 hours: wait ${count(seconds, "second")} before the next one, or set its scan_schedule.`,
  scans_of_organization: (seconds: number) =>
    `The organization requested too many scans within 24 hours: wait ${count(seconds, "second")} before the next one, or set the scan_schedule of its daemons.`,
  versions_of_organization: (seconds: number) =>
    `The organization created, changed and tagged too many records of its inventory within 24 hours: wait ${count(seconds, "second")} before the next change. Reads and deletions still work.`,
  audit_entries_of_organization: (seconds: number) =>
    `The organization created, changed and tagged too many records within 24 hours: wait ${count(seconds, "second")} before the next change. Reads and deletions still work.`,
};

/** Every error, with its status, meaning, parameters and message (API contract, section 6). */
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
          .meta({ description: "The cause, if it is one of these." }),
        line: z
          .int()
          .positive()
          .optional()
          .meta({ description: "The line of the syntax error, starting at 1." }),
        column: z.int().positive().optional(),
      }),
    message: ({ reason, line, column }) => {
      const location = line === undefined ? "" : ` at line ${line}, column ${column ?? 1}`;
      switch (reason) {
        case "empty":
          return "The body is empty: send JSON.";
        case "not_utf8":
          return "The body is not in UTF-8 (it may be in Latin-1 or UTF-16): send JSON in UTF-8.";
        case "broken_off":
          return `The body is truncated${location}: send all of it.`;
        case "trailing_comma":
          return `The body has a trailing comma${location}, which JSON does not allow: remove it and send the body again.`;
        default:
          return `The body is not valid JSON${location} (names and strings need double quotes, as in "Acme"): correct it and send it again.`;
      }
    },
  }),
  request_malformed_xml: define({
    status: 400,
    meaning:
      "The body is not one complete nmap report in XML: follow the advice in the error, or scan again.",
    params: () => z.object({ line: z.int().positive(), problem: textUpTo(500) }),
    message: ({ line, problem }) => `Line ${line} of the body: ${cut(problem, 500)}`,
  }),
  entity_reference_invalid: define({
    status: 400,
    meaning:
      "The request refers to a record that does not exist in your organization: correct the field.",
    params: () => z.object({ entity, field, id: z.guid().optional() }),
    message: ({ entity, field, id }) =>
      // A port or an address must belong to a specific host. It may exist on another host.
      entity === "Port" || entity === "IPAddress"
        ? `${cut(field, 200)}: its host has no ${id === undefined ? `such ${readable(entity)}` : `${readable(entity)} ${id}`}: send one of the same host.`
        : id === undefined
          ? `${cut(field, 200)}: it refers to ${withArticle(readable(entity))} that does not exist in your organization.`
          : `${cut(field, 200)}: there is no ${readable(entity)} ${id} in your organization.`,
  }),
  auth_not_authenticated: define({
    status: 401,
    meaning:
      "The key or token is missing, malformed or unknown: send a valid API key or token in the header Authorization: Bearer <USER_API_KEY>.",
    params: () =>
      z.object({
        reason: z
          .enum([
            "missing",
            "other_header",
            "in_url",
            "other_scheme",
            "malformed",
            "invalid_token",
            "daemon_key",
            "operator_key",
          ])
          .optional()
          .meta({
            description:
              "The reason why the key or token was not accepted as sent. Absent for an unknown one.",
          }),
      }),
    message: ({ reason }) =>
      reason === undefined
        ? "This API key or token is unknown: it belongs to another service, or the key was deleted or replaced. A token also ends when its key is disabled."
        : unpresented[reason],
  }),
  auth_key_expired: define({
    status: 401,
    meaning: "This API key has expired: use another key.",
    params: () => z.object({ expired_at: z.iso.datetime() }),
    message: ({ expired_at }) => `This API key expired at ${expired_at}: use another key.`,
  }),
  auth_key_disabled: fixed(401, "This API key is disabled: use another key."),
  auth_token_expired: define({
    status: 401,
    meaning: "This token has expired: get a new one from the service that issued it to you.",
    params: () => z.object({ expired_at: z.iso.datetime() }),
    message: ({ expired_at }) =>
      `This token expired at ${expired_at}: get a new one from the service that issued it to you.`,
  }),
  organization_suspended: define({
    status: 403,
    meaning:
      "The operator of the service has suspended the organization of this key: contact the operator. Its data is kept, and its keys work again once it is resumed.",
    params: () =>
      z.object({
        deletes_at: z.iso
          .datetime()
          .optional()
          .meta({ description: "The time at which it is deleted unless it is resumed before." }),
      }),
    message: ({ deletes_at }) =>
      deletes_at === undefined
        ? "The operator of this service has suspended your organization: contact the operator. Its data is kept, and its keys work again once it is resumed."
        : `The operator of this service has deleted your organization: contact the operator. Its data is kept until ${deletes_at}, and until then it can be resumed.`,
  }),
  auth_operator_required: fixed(
    403,
    "Only operators of the service can call this operation: use an operator key.",
  ),
  auth_permission_denied: define({
    status: 403,
    meaning: "The role of this API key is too low for the operation: use a key with a higher role.",
    params: () => z.object({ required_role: role, role }),
    message: (params) =>
      `This needs the role ${params.required_role}; the key or token has ${params.role}.`,
  }),
  auth_scope_denied: define({
    status: 403,
    meaning:
      "The operation exceeds the scope of this API key: its networks, or its own expiry. Use the newest plaintext of a key that can access every network of the organization and expires late enough.",
    params: () =>
      z.object({
        reason: z
          .enum(["expires_earlier", "replaced_plaintext", "token"])
          .optional()
          .meta({ description: "Absent for a key that is limited to specific networks." }),
        expires_at: z.iso
          .datetime()
          .optional()
          .meta({ description: "The time at which this key expires." }),
      }),
    message: ({ reason, expires_at }) => beyondKey[reason ?? "limited"](expires_at),
  }),
  entity_not_found: define({
    status: 404,
    meaning: "There is no such record in your organization: check the id.",
    params: () => z.object({ entity, id: z.guid(), field: field.optional() }),
    message: ({ entity, id, field }) =>
      entity === "Organization"
        ? `There is no organization ${id} that this key can access.`
        : `${field === undefined ? "There" : `${cut(field, 200)}: there`} is no ${readable(entity)} ${id} in your organization.`,
  }),
  route_not_found: define({
    status: 404,
    meaning: "This path does not exist: see /openapi.json for the operations.",
    params: () =>
      z.object({
        method,
        path: textUpTo(16_384),
        nearest: textUpTo(200)
          .optional()
          .meta({ description: "A path that the caller may have meant." }),
      }),
    message: ({ method, path, nearest }) =>
      `${cut(method, 20)} ${cut(path, 500)} does not exist: ${
        /\/users\b/.test(path) ? "there are no users, only API keys; " : ""
      }${
        nearest === undefined ? "see" : `did you mean ${cut(nearest, 100)}? See`
      } /openapi.json for the operations.`,
  }),
  method_not_allowed: define({
    status: 405,
    meaning: "This path does not support the method: use one from the header Allow.",
    params: () =>
      z.object({
        method,
        allowed: z.array(method).min(1).max(9),
        nearest: textUpTo(200).optional().meta({
          description: "A path that supports the method, and that the caller may have meant.",
        }),
      }),
    message: ({ method, allowed, nearest }) =>
      `This path does not support ${cut(method, 20)}: use ${cut(listed(allowed), 200)}${
        nearest === undefined ? "" : `, or ${cut(method, 20)} ${cut(nearest, 200)}`
      }.${
        method === "OPTIONS"
          ? " Web pages of another origin can call it once the operator adds that origin to CORS_ORIGINS, in wrangler.toml, or locally in .dev.vars, and restarts the service."
          : ""
      }`,
  }),
  request_not_acceptable: define({
    status: 406,
    meaning:
      "The operation has no response format that matches the header Accept: request one of its formats.",
    params: () => z.object({ media_types: z.array(textUpTo(100)).min(1).max(9) }),
    message: ({ media_types }) =>
      `Send one of these in the header Accept, or omit it: ${cut(listed(media_types), 200)}.`,
  }),
  request_conflict: fixed(
    409,
    "Another change was made at the same time: read the record again and repeat the request.",
  ),
  entity_already_exists: define({
    status: 409,
    meaning:
      "A record of your organization already has this id, name or natural key: use another value, or use that record.",
    params: () => z.object({ entity, field, id: z.guid() }),
    message: ({ entity, field, id }) =>
      `${cut(field, 200)} already exists: the ${readable(entity)} ${id} has this value. Use another value, or that record.`,
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
        ? `The API key ${id} is the organization's last enabled Owner key that reaches every network and never expires: create another such key first.`
        : `The ${readable(entity)} ${id} is still used by ${listedWithAnd(
            Object.entries(used_by).map(([nouns, number]) =>
              count(number, cut(nouns.replace(/(?<=ss)es$|s$/, ""), 64)),
            ),
          )}: delete or change them first${entity === "Network" ? ", or delete everything with ?cascade=true" : ""}.`,
  }),
  subnet_full: define({
    status: 409,
    meaning:
      "The subnet has fewer available addresses than requested: request at most `available`, or delete addresses that are no longer used.",
    params: () =>
      z.object({ id: z.guid(), available: z.int().min(0), requested: z.int().positive() }),
    message: ({ id, available, requested }) =>
      available === 0
        ? `The subnet ${id} has no available address: delete addresses that are no longer used, or use another subnet.`
        : `The subnet ${id} has ${available === 1 ? "one available address" : `${available} available addresses`}, and ${requested} are requested: request fewer, or delete addresses that are no longer used.`,
  }),
  deletion_too_large: define({
    status: 409,
    meaning: "The deletion includes more records than one request can delete: delete in steps.",
    params: () =>
      z.object({
        entity: z.enum(["Network", "Host", "Subnet"]),
        maximum: z.int().positive(),
      }),
    message: ({ entity, maximum }) =>
      ({
        Network: `The network holds more than ${count(maximum, "record")}, the maximum of one deletion: first delete its hosts in batches with POST /api/v1/hosts/bulk-delete.`,
        Host: `These hosts hold more than ${count(maximum, "record")}, the maximum of one deletion: delete fewer hosts at a time.`,
        Subnet: `These subnets hold more than ${maximum} addresses, the maximum of one deletion: delete fewer subnets at a time, or first change the subnet_id of addresses or delete hosts with POST /api/v1/hosts/bulk-delete.`,
      })[entity],
  }),
  export_too_large: define({
    status: 409,
    meaning: "The export is too large for one response: narrow it with its filters.",
    params: () =>
      z.object({
        maximum: z.int().positive(),
        unit: z.enum(["hosts", "bytes", "groups", "members"]),
      }),
    message: ({ maximum, unit }) =>
      `The export holds more than ${maximum} ${unit === "members" ? "members of groups" : unit}, the maximum of one response: narrow it with network_id, tag_ids, service or port.`,
  }),
  range_too_large: define({
    status: 409,
    meaning:
      "Too much changed between the two instants for one comparison: choose a narrower interval, or filter by network or host.",
    params: () => z.object({ versions: z.int().positive(), maximum: z.int().positive() }),
    message: ({ maximum }) =>
      `More than ${count(maximum, "version")} began or ended between these instants, the maximum of one comparison: choose a narrower interval, or filter by network_id, host_id or entity.`,
  }),
  topology_too_large: define({
    status: 409,
    meaning:
      "The map is too large for one response: request `GET /topology` with `detail=subnets`, or narrowed to a network, a subnet, a tag, or a host and a depth.",
    params: () =>
      z.object({
        hosts: z.int().min(0),
        edges: z
          .int()
          .min(0)
          .meta({ description: "If there are too many hosts, only the addresses are counted." }),
      }),
    message: ({ hosts, edges }) =>
      `The map has ${count(hosts, "host")} and ${count(edges, "edge")}, too many for one response in this format: request GET /api/v1/topology with network_id, subnet_id, tag_ids, vlan, or host_id and depth, or with detail=subnets of the layer l3.`,
  }),
  history_expired: define({
    status: 410,
    meaning:
      "The instant is before the history that the organization keeps: choose `history_from` or a later instant.",
    params: () => keptHistory,
    message: ({ history_from }) =>
      `The organization keeps its history from ${history_from} on: choose that instant or a later one.`,
  }),
  cursor_expired: define({
    status: 410,
    meaning: "The cursor leads to history that is no longer kept: start again without a cursor.",
    params: () => keptHistory,
    message: ({ history_from }) =>
      `The cursor leads to history that is no longer kept; the organization keeps it from ${history_from} on. Start again without a cursor. To follow changes, list the current records and continue from there.`,
  }),
  precondition_failed: define({
    status: 412,
    meaning:
      "A condition of the request is false. With If-Match, the record has changed since you read it: read it again and repeat the change. With If-None-Match, it already exists.",
    params: () =>
      z.object({
        etag: textUpTo(128)
          .optional()
          .meta({ description: "The current tag of the record. Absent if there is no record." }),
        reason: z.enum(["exists", "missing"]).optional().meta({
          description:
            "`exists`: If-None-Match excludes the record. `missing`: If-Match requires a record, and there is none. Absent if the record has changed.",
        }),
        is_weak: z.boolean().optional().meta({
          description: "True if all tags of If-Match are weak; a weak tag never matches.",
        }),
      }),
    message: ({ etag = "", reason, is_weak }) => {
      if (reason === "missing") {
        return "There is no such record, so If-Match cannot match: send the request without If-Match to create the record.";
      }
      if (reason === "exists") {
        return `The record already exists, with the ETag ${cut(etag, 100)}: send the request without If-None-Match to replace it.`;
      }
      return is_weak
        ? `If-Match contains a weak tag (W/), which never matches: send the ETag as you read it, without W/. The current ETag is ${cut(etag, 100)}.`
        : `The record has changed since you read it, and its ETag is now ${cut(etag, 100)}: read it again and repeat the change.`;
    },
  }),
  binding_conflict: define({
    status: 409,
    meaning: "The binding conflicts with another one: change or delete that one first.",
    params: () => z.object({ id: z.guid() }),
    message: ({ id }) => `This conflicts with the binding ${id}: change or delete that one first.`,
  }),
  scan_ended: define({
    status: 409,
    meaning: "The scan has ended: only waiting or running scans can be cancelled.",
    params: () => z.object({ id: z.guid(), phase: textUpTo(64) }),
    message: ({ id, phase }) =>
      `The scan ${id} has ended (${cut(phase, 64)}): only waiting or running scans can be cancelled.`,
  }),
  no_daemon: define({
    status: 409,
    meaning:
      "No daemon reaches the host: provision a daemon on a subnet that contains an address of the host, or retry the connection of an unreachable one.",
    params: () => z.object({ id: z.guid() }),
    message: ({ id }) =>
      `No reachable daemon is attached to a subnet that contains an address of the host ${id}: provision a daemon there, retry the connection of an unreachable one, or add the host's address.`,
  }),
  too_many_scans: define({
    status: 409,
    meaning:
      "The daemon has the maximum number of waiting and running scans: wait until one has ended, or cancel one.",
    params: () => z.object({ id: z.guid(), maximum: z.int().positive() }),
    message: ({ id, maximum }) =>
      `The daemon ${id} has ${count(maximum, "waiting or running scan")}, the maximum: wait until one has ended, or cancel one.`,
  }),
  idempotency_key_reused: fixed(
    422,
    "This Idempotency-Key was sent with another request in the last 24 hours: use a new key for each request.",
  ),
  request_timeout: fixed(
    408,
    "The body arrived too slowly or stalled: send it again, faster or in smaller parts.",
  ),
  request_too_large: define({
    status: 413,
    meaning:
      "The body, or the records that it changes, are too large: send a smaller body, or change fewer records at a time.",
    params: () =>
      z.object({
        max_bytes: z.int().positive(),
        reason: z.enum(["records"]).optional().meta({
          description: "`records`: the records that the request changes are too large in total.",
        }),
      }),
    message: ({ max_bytes, reason }) =>
      reason === "records"
        ? `The records that the request changes have more than ${max_bytes} bytes in total: change fewer at a time.`
        : `The body is too large: send at most ${max_bytes} bytes.`,
  }),
  request_unsupported_media_type: define({
    status: 415,
    meaning:
      "The operation does not accept this media type or a Content-Encoding: send the body in a media type that it accepts.",
    params: () => z.object({ media_types: z.array(textUpTo(100)).min(1).max(9) }),
    message: ({ media_types }) =>
      `Send the body with the header Content-Type: ${cut(listed(media_types), 200)}, and without a Content-Encoding.`,
  }),
  rate_limit_exceeded: define({
    status: 429,
    meaning: "Too many requests: wait for the time in the header Retry-After.",
    params: () =>
      retryAfter.extend({
        limit: z
          .enum([
            "tokens_of_key",
            "tests_of_webhook",
            "scans_of_daemon",
            "scans_of_organization",
            "versions_of_organization",
            "audit_entries_of_organization",
          ])
          .optional()
          .meta({
            description:
              "The limit that was reached: a daily limit, or the limit on valid tokens or on webhook tests. Absent for a limit on requests or streams.",
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
      "The service is temporarily unavailable: after the time in the header Retry-After, follow `advice`. `outcome` states whether anything may have been changed.",
    params: () => unavailable,
    message: unavailability,
  }),
};

import type { Description } from "./describe.ts";

/** The introduction of the OpenAPI document. */
export const introduction = `An inventory of your networks, now and at any time in the past: hosts with their addresses, ports and services, and the ports that each service listens on.

- **Import** existing data: \`nmap -oX - 192.168.1.0/24 | curl … --data-binary @-\` to \`POST /api/v1/networks/{id}/imports\`.
- **Scan**: a daemon scans its network repeatedly. The service polls the daemon, sends it credentials, and ends the records that it no longer finds.
- **Query**: lists have filters, a search with \`q\`, and \`at\`, which returns hosts, addresses, ports, services, bindings and subnets as of an instant.
- **Map**: \`GET /api/v1/topology\` returns what is connected to what, now or as of an instant, as JSON, Mermaid or DOT.
- **Export**: \`GET /api/v1/exports/prometheus\`, \`ansible\`, \`oxidized\` and \`hosts\` return the formats of these programs, such as \`curl -fsS …/api/v1/exports/hosts -H 'Authorization: Bearer KEY' > hosts\`; \`GET /api/v1/summary\` returns counts.
- **Connect an assistant**: add \`…/mcp\` to it as an MCP server of type \`http\`, with the header \`Authorization: Bearer KEY\` and the key of a Viewer.

## Responses

Every response except an export is JSON in one envelope, for success and for failure:

\`\`\`json
{
  "success": true,
  "data": {},
  "meta": {}
}
\`\`\`

\`\`\`json
{
  "success": false,
  "code": "entity_not_found",
  "error": "…",
  "params": {},
  "meta": {}
}
\`\`\`

Lists add \`meta.pagination\`. In a failure, \`code\` is for programs, \`error\` states the remedy, and \`params\` contains the details. A failed validation lists every issue at once. Unknown paths respond 404 \`route_not_found\`, and unsupported methods 405 \`method_not_allowed\` with an \`Allow\` header.

Timestamps are RFC 3339 in UTC with milliseconds. Ids are UUIDs in lower case; requests may use upper case.

Every response carries \`X-Request-Id\`. You can choose it by sending the same header: 1 to 64 letters, digits, \`_\` or \`-\`. Any other value is replaced by a new id. Quote the id when you report a problem.

## Keys and roles

Send a user API key as \`Authorization: Bearer <USER_API_KEY>\`. A key has a role, Viewer < Member < Admin < Owner, and can access all networks of its organization or only some. For the caller, records of other organizations, and records on networks that the key cannot access, do not exist.

The service checks the key first (401), then its role (403), then the request (400, 408, 413, 415), then the data (404, 409, 410, 412).

## Writing

\`POST\` creates a record, \`PUT\` replaces the whole record, and \`PATCH\` changes the fields that you send; each responds with the record and its \`ETag\`. Send that tag as \`If-Match\` with \`PUT\`, \`PATCH\` or \`DELETE\`, to avoid overwriting changes that you have not seen. Send an \`Idempotency-Key\` with each \`POST\` that creates, to repeat it without creating anything twice. Bulk requests are atomic.

## After a 503

\`params.outcome\` states whether anything may have been changed: \`unchanged\`, or \`unknown\` after a write to which the database did not respond. \`params.advice\` is the action to take after \`Retry-After\`: \`repeat\` the request; \`repeat_with_same_key\`: repeat it with the same \`Idempotency-Key\` and body, which creates nothing twice; \`read_first\`: check whether the change was made; or \`send_less\` at a time, since the body took too long to store.

## Limits

A key may send 300 requests per minute. An address may send 40 requests per minute without a valid key. Beyond that, and while the service is unavailable (503), \`Retry-After\` is the number of seconds to wait. Bodies are at most 1 MiB.

Lists take \`limit\`, 0 to 1000, and \`offset\`. \`limit=0\` streams everything. If a stream fails midway, the body ends there and is not valid JSON, although the HTTP message may end properly: check that the body parses. A stream also ends early if the client reads nothing for 30 seconds, or after 5 minutes in total. A page or a record of more than about 1 MiB is also streamed. An organization may have 8 streams at once; beyond that, the response is 429 \`rate_limit_exceeded\`.

## Spreadsheets and pipes

Lists are also available as \`text/csv\` and as \`application/x-ndjson\`, with the header \`Accept\`. NDJSON has one record per line and a last line \`{"end": …}\`; without that line, the list is incomplete. In CSV, objects become columns such as \`source.type\`, lists become one cell, and each part of a string that a spreadsheet could run as a formula is preceded by an apostrophe. Failures are always JSON.`;

/** The default descriptions of page parameters. */
export const pageParameters: NonNullable<Description<unknown>["parameters"]> = {
  limit: { description: "The maximum number of records; 0 streams all of them." },
  offset: { description: "The number of records to skip." },
  cursor: {
    description:
      "The position: `meta.pagination.next_cursor` of the previous page. Send the other parameters as for that page, without `offset`.",
  },
  fields: {
    description:
      "The fields to return, separated by commas. By default, records have all of their fields. Typed clients expect whole records.",
  },
  include: {
    description:
      "`labels`: `meta.labels` contains the name of each record that the page contains or refers to, by its id. Only with JSON, and with a `limit` other than 0.",
  },
};

/** The description of the cursor for a list in reverse chronological order. */
export const newestFirstCursor = {
  description:
    "The position: `meta.next_cursor` of the previous response. If absent, the list starts with the newest.",
  component: "NewestFirstCursor",
};

/**
 * The description of the id in a path. The record's name is given twice: as used in errors, and as
 * used in sentences.
 */
export const idParameter = (entity: string, singular: string, example: string) => ({
  id: { description: `The ${singular}'s id.`, example, component: `${entity}Id` },
});

/** What the document says before all operations. */
export const introduction = `Credentials, organizations, daemons and bindings of a network discovery and inventory platform.

## Answers

Every answer is JSON in one envelope, on success and on failure:

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

Lists add \`meta.pagination\`. Of a failure, \`code\` is for programs, \`error\` says what to do, and \`params\` has the details; a failure of validation lists every issue at once. Unknown paths answer 404 \`route_not_found\`, other methods 405 \`method_not_allowed\` with \`Allow\`.

Times are RFC 3339 in UTC with milliseconds. Ids are UUIDs in lower case; upper case is accepted.

## Keys and roles

Send a user API key as \`Authorization: Bearer <USER_API_KEY>\`. A key has a role, Viewer < Member < Admin < Owner, and reaches every network of its organization or only some. A record of another organization, or in a network that the key does not reach, does not exist for the caller.

The request is judged in this order: the key (401), its role (403), the request (400, 413, 415), the data (404, 409).

## Limits

300 requests a minute per key, and 40 a minute per address without a valid key. Beyond that, and while the service cannot answer (503), \`Retry-After\` says how many seconds to wait. Bodies are at most 1 MiB.

Lists take \`limit\`, 0 to 1000, and \`offset\`. \`limit=0\` streams everything. If something breaks midway, the body ends there and is never valid JSON, though the HTTP message may end properly: check that the body parses. A stream also ends early when the client reads nothing for 30 seconds, or after 5 minutes in all. A key may stream 8 lists at once; beyond that the response is 429 \`rate_limit_exceeded\`.`;

/** What is said of parameters that several operations take. */
export const sharedParameters: Readonly<Record<string, string>> = {
  limit: "How many records at most; 0 means all, streamed.",
  offset: "How many records to skip.",
};

/** The groups of operations. */
export const tags = [
  { name: "Credentials", description: "Secrets and access settings for reaching hosts." },
  { name: "Organizations", description: "The tenant: plan, billing and onboarding." },
  { name: "Daemons", description: "Discovery agents that the service polls." },
  {
    name: "Bindings",
    description: "Links between services, networks, ports and IP addresses, with their history.",
  },
  { name: "Service", description: "Health and version. No key needed." },
];

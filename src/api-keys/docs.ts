import * as z from "zod";
import { describeGroup, describeOperation } from "../openapi/describe.ts";
import { idParameter } from "../openapi/texts.ts";
import { describeVerbs, nameFilter } from "../openapi/verbs.ts";
import { createApiKey, createApiKeys, newApiKeySchema } from "./create.ts";
import { issuedTokenSchema, issueToken } from "./issue-token.ts";
import { type ApiKey, apiKeyResource, apiKeySchema } from "./model.ts";
import { rotateApiKey } from "./rotate.ts";
import { whoami, whoamiSchema } from "./whoami.ts";

const tag = describeGroup({
  name: "API keys",
  description:
    "Keys for calling the service, each with a role and optionally limited to specific networks.",
});

const example: ApiKey = {
  id: "5d9a3b5e-6a1c-4a70-9a53-0f6d0a4f9c11",
  created_at: "2026-04-22T15:57:37.843Z",
  updated_at: "2026-04-22T15:57:37.843Z",
  organization_id: "e4b66c48-02de-4481-8c6f-f8b16360c781",
  name: "Backup script",
  permissions: "Viewer",
  network_ids: null,
  expires_at: null,
  is_enabled: true,
  last_used_at: null,
  key_hint: "2s4d",
};
const body = { name: example.name, permissions: example.permissions };
const plaintext = "inv_u_ExampleKey0000000000000000000000000000";
const limits =
  "A key cannot have a higher role than the caller (403 `auth_permission_denied`). Only the newest plaintext of a key that can access every network can be used to change keys (403 `auth_scope_denied`).";
const end =
  "A key that expires cannot grant anything to a key that expires later (403 `auth_scope_denied`). An `expires_at` in the past is an error.";

describeVerbs(apiKeyResource, {
  tag,
  singular: "API key",
  plural: "API keys",
  schema: apiKeySchema,
  example,
  body,
  rules: `${limits} ${end} An organization must keep one enabled Owner key that can access every network and never expires; otherwise, the response is 409 \`entity_in_use\`.`,
  deletion: `The key stops working immediately. ${limits} The last Owner key cannot be deleted (409 \`entity_in_use\`).`,
  filters: {
    ...nameFilter(example),
    ids: { description: "Only keys with these ids, up to 350.", example: example.id },
    is_enabled: {
      description: "`true`: only enabled keys; `false`: only disabled ones.",
      example: true,
    },
    q: {
      description: "Only keys with this id, or with this text in their names.",
      example: "backup",
    },
  },
  operationIds: {
    list: "get_all_user_api_keys",
    read: "get_user_api_key_by_id",
    update: "update_user_api_key",
    delete: "delete_user_api_key",
    deleteMany: "bulk_delete_user_api_keys",
  },
});

describeOperation(createApiKey, {
  operationId: "create_user_api_key",
  tag,
  summary: "Create an API key",
  description: `Creates an API key and returns it only once: the service stores only its hash. ${limits} ${end}\n\nSend an \`Idempotency-Key\` to repeat the request safely. A repeated request returns only the record: \`key\` is then null.`,
  data: newApiKeySchema,
  response: "The API key, and its plaintext.",
  example: { body, data: { key: plaintext, api_key: example } },
});

describeOperation(createApiKeys, {
  operationId: "bulk_create_user_api_keys",
  tag,
  summary: "Create many API keys",
  description: `Creates 1 to 100 API keys atomically and returns each only once, in the order in which they were sent. ${limits} ${end}\n\nSend an \`Idempotency-Key\` to repeat the request safely. A repeated request returns only the records: every \`key\` is then null.`,
  data: z.array(newApiKeySchema).max(100),
  response: "The API keys in the order in which they were sent, each with its plaintext.",
  example: { body: [body], data: [{ key: plaintext, api_key: example }] },
});

describeOperation(rotateApiKey, {
  operationId: "rotate_user_api_key",
  tag,
  summary: "Rotate an API key",
  description:
    "Replaces an API key's plaintext; the new one is returned only once. Its role, networks and id do not change. The old plaintext works for another `overlap_seconds`, up to a week; with 0 it stops working immediately. During that time it cannot be used to change keys. A key that expires cannot rotate a key that expires later (403 `auth_scope_denied`).",
  parameters: idParameter("ApiKey", "API key", example.id),
  data: newApiKeySchema,
  response: "The API key, and its new plaintext.",
  example: { body: { overlap_seconds: 3600 }, data: { key: plaintext, api_key: example } },
  errorExamples: { entity_not_found: { entity: "ApiKey", id: example.id } },
});

describeOperation(issueToken, {
  operationId: "issue_user_api_token",
  tag,
  summary: "Issue a token",
  description:
    "Issues a signed token for a user of yours, to be sent from the user's browser instead of an API key. It is returned only once, and has at most the role and the networks of the key that issues it, also if these change later. It is valid for `expires_in` seconds, but ends earlier with its key: when the key expires, is disabled or deleted, or its plaintext is replaced. Changes name `subject` as their author. A token cannot issue tokens, or create, change, rotate or delete API keys (403 `auth_scope_denied`). A key can have 10,000 valid tokens (429 `rate_limit_exceeded`). An `Idempotency-Key` has no effect: a token that got lost expires by itself.",
  data: issuedTokenSchema,
  response: "The token, and the time at which it expires.",
  example: {
    body: { permissions: "Viewer", subject: "user-4711", expires_in: 900 },
    data: {
      token:
        "eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCIsImtpZCI6ImRlbW8ifQ.eyJzdWIiOiJqYW5lQGV4YW1wbGUuY29tIn0.ExampleSignature",
      expires_at: "2026-04-22T16:12:37.000Z",
    },
  },
});

describeOperation(whoami, {
  operationId: "whoami",
  tag,
  summary: "Get the caller's API key or token",
  description:
    "Gets the API key that the request was sent with, or the token with the key that issued it, and the organization. A good first call for any integration.",
  data: whoamiSchema,
  response: "The key and its organization.",
  example: {
    data: {
      api_key: example,
      token: null,
      organization: { id: example.organization_id, name: "Harbour Street Homelab" },
    },
  },
});

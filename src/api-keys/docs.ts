import * as z from "zod";
import { describeGroup, describeOperation } from "../openapi/describe.ts";
import { describeVerbs, nameFilter } from "../openapi/verbs.ts";
import { createApiKey, createApiKeys, newApiKeySchema } from "./create.ts";
import { type ApiKey, apiKeyResource, apiKeySchema } from "./model.ts";
import { rotateApiKey } from "./rotate.ts";
import { whoami, whoamiSchema } from "./whoami.ts";

const tag = describeGroup({
  name: "API keys",
  description: "Who may call the service, in which role, and for which networks.",
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
  "A key is never above the caller's own role (403 `auth_permission_denied`), and only a key that reaches every network may change keys, by its newest plaintext (403 `auth_scope_denied`).";
const end =
  "A key that expires gives nothing to one that lasts longer (403 `auth_scope_denied`). An `expires_at` in the past is an error.";

describeVerbs(apiKeyResource, {
  tag,
  singular: "API key",
  plural: "API keys",
  schema: apiKeySchema,
  example,
  body,
  rules: `${limits} ${end} An organization keeps one enabled Owner key that reaches every network and never expires: else 409 \`entity_in_use\`.`,
  deletion: `The key stops working with the very next request. ${limits} The last Owner key cannot go (409 \`entity_in_use\`).`,
  filters: {
    ...nameFilter(example),
    ids: { description: "Only keys with these ids, up to 100.", example: example.id },
    is_enabled: {
      description: "`true`: only enabled keys; `false`: only others.",
      example: "true",
    },
    q: {
      description: "Only keys with this id, or with this text in their name.",
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
  description: `Creates an API key and shows it once: the service keeps only its hash. ${limits} ${end}\n\nSend an \`Idempotency-Key\` to repeat the request safely. A repeated request responds with the record alone: \`key\` is then null.`,
  data: newApiKeySchema,
  response: "The API key, and its plaintext.",
  example: { body, data: { key: plaintext, api_key: example } },
});

describeOperation(createApiKeys, {
  operationId: "bulk_create_user_api_keys",
  tag,
  summary: "Create many API keys",
  description: `Creates 1 to 100 API keys, all or none, and shows each once, in the order sent. ${limits} ${end}\n\nSend an \`Idempotency-Key\` to repeat the request safely. A repeated request responds with the records alone: every \`key\` is then null.`,
  data: z.array(newApiKeySchema).max(100),
  response: "The API keys in the order sent, each with its plaintext.",
  example: { body: [body], data: [{ key: plaintext, api_key: example }] },
});

describeOperation(rotateApiKey, {
  operationId: "rotate_user_api_key",
  tag,
  summary: "Rotate an API key",
  description:
    "Gives an API key a new plaintext, which is shown once. Its role, networks and id stay. The old plaintext works for `overlap_seconds` more, up to a week; with 0 it ends at once. Meanwhile it changes no keys. A key that expires rotates none that lasts longer (403 `auth_scope_denied`).",
  parameters: { id: { description: "The API key's id.", example: example.id } },
  data: newApiKeySchema,
  response: "The API key, and its new plaintext.",
  example: { body: { overlap_seconds: 3600 }, data: { key: plaintext, api_key: example } },
  errorExamples: { entity_not_found: { entity: "ApiKey", id: example.id } },
});

describeOperation(whoami, {
  operationId: "whoami",
  tag,
  summary: "Get the key of the request",
  description:
    "Gets the API key that the request carries and its organization. A good first call of any integration.",
  data: whoamiSchema,
  response: "The key and its organization.",
  example: {
    data: {
      api_key: example,
      organization: { id: example.organization_id, name: "Harbour Street Homelab" },
    },
  },
});

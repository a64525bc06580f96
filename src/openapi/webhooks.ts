import type * as z from "zod";
import type { Json } from "./json-schema.ts";

/** The handwritten description of a message to webhooks (API contract, section 12). */
export interface MessageDescription<Message> {
  /** The value of `type`, such as `inventory.changes`. */
  type: string;
  operationId: string;
  tag: string;
  summary: string;
  description: string;
  message: z.ZodType<Message>;
  example: Message;
}

const messages: MessageDescription<unknown>[] = [];

/** Describes a message that the service sends to webhooks. */
export function describeMessage<Message>(message: MessageDescription<Message>): void {
  messages.push(message);
}

/** The messages that resources have described. */
export const describedMessages = (): readonly MessageDescription<unknown>[] => messages;

const header = (name: string, description: string, schema: Json) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string", ...schema },
});

/** The headers of a message, as the Standard Webhooks specification defines them. */
const headers = [
  header("webhook-id", "The id of the message, for all its retries.", {
    pattern: "^msg_[0-9a-f]{32}$",
    maxLength: 36,
  }),
  header("webhook-timestamp", "The time at which the message was sent, in seconds since 1970.", {
    pattern: "^\\d+$",
    maxLength: 16,
  }),
  header(
    "webhook-signature",
    "`v1,` and the HMAC-SHA256 of id, timestamp and body in base64. During a rotation, there are two signatures, separated by a space.",
    { pattern: "^v1,[0-9A-Za-z+/=]{44}( v1,[0-9A-Za-z+/=]{44})?$", maxLength: 128 },
  ),
];

const responses = {
  "204": {
    description:
      "Any status from 200 to 299, within 15 seconds, accepts the message. The body is not read.",
  },
  "410": { description: "The service disables the webhook." },
};

/**
 * The `webhooks` of the OpenAPI document, by message type. Their parts are not components, because
 * oapi-codegen does not generate the types of components that only webhooks use.
 * @param schemaOf returns the schema of a message
 */
export const buildWebhooks = (
  described: readonly MessageDescription<unknown>[],
  schemaOf: (message: z.ZodType) => Json,
): Json =>
  Object.fromEntries(
    described.map(({ type, operationId, tag, summary, description, message, example }) => [
      type,
      {
        post: {
          operationId,
          tags: [tag],
          summary,
          description,
          security: [],
          // openapi-generator would mistake the messages for operations of the service, and write
          // them over the real ones.
          "x-internal": true,
          parameters: headers,
          requestBody: {
            required: true,
            content: { "application/json": { schema: schemaOf(message), example } },
          },
          responses,
        },
      },
    ]),
  );

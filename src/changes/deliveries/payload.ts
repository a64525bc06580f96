import * as z from "zod";
import { timestamp } from "../../http/input/timestamp.ts";
import { maximumCursor } from "../../http/list/cursor.ts";
import { changeSchema } from "../model.ts";

const cursor = z.string().max(maximumCursor);

/** The body of a delivery (API contract, section 12). */
export const changesMessageSchema = z
  .object({
    type: z.literal("inventory.changes"),
    timestamp: timestamp.meta({ description: "The `at` of the last change." }),
    data: z.object({
      changes: z.array(changeSchema).max(100),
      next_cursor: cursor.meta({
        description:
          "The `cursor` with which `GET /api/v1/changes` returns the changes after this message.",
      }),
    }),
  })
  .meta({ title: "ChangesMessage", description: "Changes to the inventory, in feed order." });

/** The body of a test (API contract, section 12). */
export const testMessageSchema = z
  .object({
    type: z.literal("inventory.test"),
    timestamp: timestamp.meta({ description: "The time of the test." }),
    data: z.object({
      changes: z.array(changeSchema).max(0),
      next_cursor: cursor.nullable().meta({ description: "Always null." }),
    }),
  })
  .meta({ title: "TestMessage", description: "A sample without changes, to test a receiver." });

export type ChangesMessage = z.output<typeof changesMessageSchema>;
export type TestMessage = z.output<typeof testMessageSchema>;

/** A message to a webhook. */
export type WebhookMessage = ChangesMessage | TestMessage;

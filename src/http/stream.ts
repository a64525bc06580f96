import type { Context } from "hono";
import { meta, type Pagination, type successPage } from "./envelope.ts";
import type { AppEnv } from "./factory.ts";
import { logStreamFailure } from "./log.ts";
import type { Portions } from "./read-ahead.ts";

/** A list that is sent as it is read. */
export interface StreamedList<Item> {
  total_count: number;
  offset: number;
  /** The items. Cancelled when the client goes away. */
  chunks: Portions<Item>;
}

/**
 * Answers 200 with everything from `offset` on, portion by portion, as fast as the client reads. A
 * failure midway aborts the connection: what was sent is then no valid JSON and cannot be mistaken
 * for the whole.
 */
export function successStream<Env extends AppEnv, Item>(
  c: Context<Env>,
  { total_count, offset, chunks }: StreamedList<Item>,
) {
  const pagination: Pagination = { total_count, limit: 0, offset, has_more: false };
  const encoder = new TextEncoder();
  let separator = '{"success":true,"data":[';
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (done) {
          const end = `${separator === "," ? "" : separator}],"meta":${JSON.stringify({ ...meta, pagination })}}`;
          controller.enqueue(encoder.encode(end));
          controller.close();
          return;
        }
        controller.enqueue(encoder.encode(separator + JSON.stringify(value).slice(1, -1)));
        separator = ",";
      } catch (error) {
        // Once the client has gone, the cancelled call fails too, and nobody is left to be told.
        if (!isCancelled) {
          logStreamFailure(c.get("requestId"), error);
          controller.error(error);
        }
      }
    },
    cancel() {
      isCancelled = true;
      chunks.cancel();
    },
  });
  // The same as a page to its readers, who need not know that it was sent in portions.
  return c.newResponse(body, 200, {
    "Content-Type": "application/json",
  }) as ReturnType<typeof successPage<Item>>;
}

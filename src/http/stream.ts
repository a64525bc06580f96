import type { Context } from "hono";
import { metaOf, type Pagination, type successPage } from "./envelope.ts";
import type { AppEnv } from "./factory.ts";
import { logStreamFailure } from "./log.ts";
import type { Portions } from "./read-ahead.ts";

/** A list that is sent as it is read. */
export interface StreamedList<Item> {
  /** The items. Cancelled when the client goes away. */
  portions: Portions<Item>;
  offset: number;
  /** How many match; null where that is the offset and what is sent. */
  total_count: number | null;
}

/**
 * Answers 200 with everything from `offset` on, portion by portion, as fast as the client reads. A
 * failure midway aborts the connection: what was sent is then no valid JSON and cannot be mistaken
 * for the whole.
 */
export function successStream<Env extends AppEnv, Item>(
  c: Context<Env>,
  { portions, offset, total_count }: StreamedList<Item>,
) {
  const encoder = new TextEncoder();
  let separator = '{"success":true,"data":[';
  let sent = 0;
  let isCancelled = false;
  /** What follows the last item. */
  const end = () => {
    const pagination: Pagination = {
      total_count: total_count ?? offset + sent,
      limit: 0,
      offset,
      has_more: false,
    };
    return `${sent > 0 ? "" : separator}],"meta":${JSON.stringify({ ...metaOf(c), pagination })}}`;
  };
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await portions.next();
        if (done) {
          controller.enqueue(encoder.encode(end()));
          controller.close();
          return;
        }
        controller.enqueue(encoder.encode(separator + JSON.stringify(value).slice(1, -1)));
        separator = ",";
        sent += value.length;
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
      portions.cancel();
    },
  });
  // The same as a page to its readers, who need not know that it was sent in portions.
  return c.newResponse(body, 200, {
    "Content-Type": "application/json",
  }) as ReturnType<typeof successPage<Env, Item>>;
}

import type { QueueProducer } from "../env.ts";

/**
 * Maximum number of members in a message, and therefore in an invocation. With five connections at
 * a time and ten seconds per connection, a full batch of unresponsive daemons takes less than four
 * minutes.
 */
export const batchSize = 100;

/** The platform's limits on a message and on a batch, in bytes, with a safety margin. */
const maxMessageBytes = 100_000;
const maxSendBytes = 200_000;
const maxSendMessages = 100;

/**
 * Sends members to a queue. Each message contains members of one organization only, so that
 * organizations do not wait for each other.
 * @param bodyOf builds a message body
 * @param size maximum number of members in a message
 * @returns the number of messages
 */
export async function enqueue<Member extends { organization_id: string }>(
  queue: QueueProducer,
  members: readonly Member[],
  bodyOf: (members: Member[]) => object,
  size = batchSize,
): Promise<number> {
  const messages = [...Map.groupBy(members, ({ organization_id }) => organization_id).values()]
    .flatMap((ofOrganization) => groups(ofOrganization, size, maxMessageBytes))
    .map((group) => ({ body: bodyOf(group) }));
  for (const sent of groups(messages, maxSendMessages, maxSendBytes)) {
    await queue.sendBatch(sent);
  }
  return messages.length;
}

/** Splits a list into groups, each with a limited number of members and bytes of JSON. */
function groups<Member>(members: readonly Member[], maxMembers: number, maxBytes: number) {
  const result: Member[][] = [];
  let bytes = 0;
  for (const member of members) {
    const size = new TextEncoder().encode(JSON.stringify(member)).length + 1;
    const last = result.at(-1);
    if (last && last.length < maxMembers && bytes + size <= maxBytes) {
      last.push(member);
      bytes += size;
    } else {
      result.push([member]);
      bytes = size;
    }
  }
  return result;
}

import type { QueueProducer } from "../env.ts";

/**
 * What one message carries, and so one invocation contacts: with five connections at a time and ten
 * seconds for each, a batch of dead daemons ends in less than four minutes.
 */
export const batchSize = 100;

/** The platform's limits for a message and for what one call sends, in bytes, with some room. */
const maxMessageBytes = 100_000;
const maxSendBytes = 200_000;
const maxSendMessages = 100;

/**
 * Sends members to a queue. A message holds those of one organization, so that nobody waits for the
 * daemons of others.
 * @param bodyOf the body of a message with these members
 * @param size the most members of a message
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

/** Splits a list into groups of so many members and so many bytes of JSON at most. */
function groups<Member>(members: readonly Member[], maxMembers: number, maxBytes: number) {
  const found: Member[][] = [];
  let bytes = 0;
  for (const member of members) {
    const size = new TextEncoder().encode(JSON.stringify(member)).length + 1;
    const last = found.at(-1);
    if (last && last.length < maxMembers && bytes + size <= maxBytes) {
      last.push(member);
      bytes += size;
    } else {
      found.push([member]);
      bytes = size;
    }
  }
  return found;
}

import { runAsPoller } from "../../../database/poller.ts";
import type { Settings } from "../../../env.ts";
import { type ClaimedDaemon, claimDueDaemons, type Turn } from "./state.ts";

/** Daemons that one statement claims. */
export const claimSize = 1000;

/** Daemons that every organization gets before any gets more. */
export const firstShare = 100;

/** Comes before every id of an organization. */
const nobody = "00000000-0000-0000-0000-000000000000";

/**
 * Claims every daemon that is due, statement by statement, round robin over organizations: none
 * gets its second share before all have had their first, and none gets more than its maximum. What
 * is beyond that stays due, and being due the longest comes first in the next cycle.
 * @throws {ApiError} when the database fails
 */
export async function* claimFairly(settings: Settings): AsyncGenerator<ClaimedDaemon[], void> {
  const maximum = settings.MAX_DAEMONS_PER_ORGANIZATION;
  const share = Math.min(firstShare, maximum);
  /** What those organizations have got that may have more daemons due. */
  const taken = new Map<string, number>();

  for (let after: string | undefined = nobody; after !== undefined; ) {
    const claimed = await claim(settings, { after, share });
    const counts = [...countByOrganization(claimed)].sort(([one], [other]) =>
      one < other ? -1 : 1,
    );
    const last = counts.at(-1);
    // Where the statement's limit cut the last organization off, it gets the rest later.
    after = claimed.length === claimSize ? last?.[0] : undefined;
    for (const [id, count] of counts) {
      if ((count === share || id === after) && count < maximum) {
        taken.set(id, count);
      }
    }
    yield claimed;
  }

  while (taken.size > 0) {
    for (const group of groupsOf([...taken], claimSize / firstShare)) {
      const organizations = group.map(([id, count]) => ({
        id,
        share: Math.min(Math.floor(claimSize / group.length), maximum - count),
      }));
      const claimed = await claim(settings, { organizations });
      const counts = countByOrganization(claimed);
      for (const { id, share } of organizations) {
        const count = counts.get(id) ?? 0;
        const total = (taken.get(id) ?? 0) + count;
        if (count < share || total >= maximum) {
          taken.delete(id);
        } else {
          taken.set(id, total);
        }
      }
      yield claimed;
    }
  }
}

async function claim(settings: Settings, turn: Turn): Promise<ClaimedDaemon[]> {
  const [{ rows }] = await runAsPoller(settings, (database) => [
    claimDueDaemons(database, turn, claimSize),
  ]);
  return rows;
}

function countByOrganization(claimed: readonly ClaimedDaemon[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { organization_id } of claimed) {
    counts.set(organization_id, (counts.get(organization_id) ?? 0) + 1);
  }
  return counts;
}

function groupsOf<Member>(members: readonly Member[], size: number): Member[][] {
  return Array.from({ length: Math.ceil(members.length / size) }, (_, group) =>
    members.slice(group * size, (group + 1) * size),
  );
}

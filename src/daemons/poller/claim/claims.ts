import { runAsPoller } from "../../../database/poller.ts";
import type { Settings } from "../../../env.ts";
import { type ClaimedDaemon, type ClaimScope, claimDueDaemons } from "./state.ts";

/** Maximum number of daemons that one statement claims. */
export const claimSize = 1000;

/** Maximum number of daemons that are claimed for an organization in the first round. */
export const firstShare = 100;

/** Sorts before every organization's id. */
const lowestId = "00000000-0000-0000-0000-000000000000";

/**
 * Claims all due daemons, in several statements and round-robin across organizations: every
 * organization gets its first share before any organization gets a second share, and none exceeds
 * its maximum. Daemons beyond the maximum stay due, and come first in the next cycle.
 * @throws {ApiError} when the database fails
 */
export async function* claimFairly(settings: Settings): AsyncGenerator<ClaimedDaemon[], void> {
  const maximum = settings.MAX_DAEMONS_PER_ORGANIZATION;
  const share = Math.min(firstShare, maximum);
  /**
   * The number of claimed daemons by organization, for organizations that may have more due
   * daemons.
   */
  const taken = new Map<string, number>();

  for (let after: string | undefined = lowestId; after !== undefined; ) {
    const claimed = await claim(settings, { after, share });
    const counts = [...countByOrganization(claimed)].sort(([one], [other]) =>
      one < other ? -1 : 1,
    );
    const last = counts.at(-1);
    // The statement's limit may have cut off the last organization, whose remaining daemons are
    // claimed later.
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

async function claim(settings: Settings, scope: ClaimScope): Promise<ClaimedDaemon[]> {
  const [{ rows }] = await runAsPoller(settings, (database) => [
    claimDueDaemons(database, scope, claimSize),
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

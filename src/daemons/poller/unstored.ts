import type { IngestResult } from "../../discovery/report.ts";
import type { PendingEntity } from "./confirmation.ts";
import { nilId } from "./protocol.ts";
import { type ConvertedReport, maximumEntities } from "./report.ts";

/** What of a report has its verdict, and is not stored: refused, or failed for a contradiction. */
export interface Unstored {
  hosts: readonly { pending: PendingEntity | null; reason: string; addresses: readonly string[] }[];
  subnets: readonly { pending: PendingEntity | null; reason: string }[];
}

/**
 * The entities of a report that are not stored. They never will be: what is of a wrong shape stays so,
 * and hosts that contradict others would contradict them again, or be taken for them in the end.
 * @param results of the hosts that were ingested
 */
export function unstoredOf(
  { hosts, refused }: ConvertedReport,
  results: IngestResult["hosts"],
): Unstored {
  const byIndex = new Map(hosts.map((host) => [host.index, host]));
  const failed = results.flatMap(({ index, host_id, issues }) => {
    const host = host_id === null ? byIndex.get(index) : undefined;
    return host
      ? [
          {
            pending: host.id === null ? null : host.pending,
            reason: issues[0]?.code ?? "failed",
            addresses: host.addresses.map(({ ip_address }) => ip_address),
          },
        ]
      : [];
  });
  return { hosts: [...refused.hosts, ...failed], subnets: refused.subnets };
}

/** The most that is remembered of one poll: one more than of a whole scan (app.note_scan_gaps). */
const maximumGaps = 10_001;

/** By what the hosts that are not stored are known: their ids, and their addresses. */
export function gapsOf({ hosts }: Unstored): { hosts: string[]; addresses: string[] } {
  const ids = hosts.flatMap(({ pending }) => pending?.id ?? []);
  const addresses = hosts.flatMap((host) => host.addresses);
  return {
    hosts: [...new Set(ids)].slice(0, maximumGaps),
    addresses: [...new Set(addresses)].slice(0, maximumGaps),
  };
}

/**
 * What is given back to the daemon as it came, under its own ids, so that it does not come again. Of
 * an entity that comes twice and is stored, the stored one counts.
 * @param stored ids of entities that were stored
 */
export function givenBack(unstored: Unstored, stored: ReadonlySet<string>) {
  const each = (entities: readonly { pending: PendingEntity | null }[], maximum: number) => {
    const known = new Map(
      entities.flatMap(({ pending }) => (pending === null ? [] : [[pending.id, pending] as const])),
    );
    return [...known.values()]
      .filter(({ id }) => id !== nilId && !stored.has(id))
      .slice(0, maximum)
      .map((pending) => ({ pending, id: pending.id }));
  };
  return {
    hosts: each(unstored.hosts, maximumEntities.hosts),
    subnets: each(unstored.subnets, maximumEntities.subnets),
  };
}

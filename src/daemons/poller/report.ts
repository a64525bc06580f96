import { type ReportedHost, type ReportedSubnet, reportLimits } from "../../discovery/report.ts";
import type { PendingEntity } from "./confirmation.ts";
import { rowsOf, toHost, toSubnet } from "./convert.ts";
import {
  hostSchema,
  nilId,
  refusedHostSchema,
  refusedSubnetSchema,
  subnetSchema,
  type WireHost,
} from "./protocol.ts";
import { unite } from "./unite.ts";

/**
 * The most entities that one poll takes over. A daemon sends what is not confirmed again, so the rest
 * comes with the next poll.
 */
export const maximumEntities = {
  hosts: 1000,
  subnets: 1000,
  /** Rows of hosts after which no further host is taken. One has fewer than all that a report may have. */
  rows: 50_000,
} as const;

/** What a poll reports, in the form that is ingested, and what is then confirmed. */
export interface ConvertedReport {
  /** One that was reported inside a host is no entity of its own, and is not confirmed. */
  subnets: (ReportedSubnet & { pending: PendingEntity | null })[];
  hosts: (ReportedHost & { pending: PendingEntity })[];
  refused: { subnets: RefusedEntity[]; hosts: (RefusedEntity & { addresses: string[] })[] };
  /** Whether nothing waits for the next poll. */
  isWhole: boolean;
}

/** An entity that is not believed, and never can be. */
interface RefusedEntity {
  reason: "wrong_shape" | "other_network";
  /** Null where it has no id to confirm it by. */
  pending: PendingEntity | null;
}

/**
 * Turns what a daemon reports into a report of its own network (API contract, section 10). Ids of its
 * making mean something only within this report, and are gone afterwards. Pure.
 * @param networkId the daemon's network; an entity that names another one is not believed
 */
export function convertReport(
  networkId: string,
  { hosts, subnets }: { hosts: readonly unknown[]; subnets: readonly unknown[] },
): ConvertedReport {
  const report: ConvertedReport = {
    subnets: [],
    hosts: [],
    refused: { subnets: [], hosts: [] },
    isWhole: true,
  };
  const isOwn = (claimed: string | null | undefined) =>
    claimed === null || claimed === undefined || claimed === nilId || claimed === networkId;

  for (const sent of subnets) {
    const subnet = subnetSchema.safeParse(sent);
    if (!subnet.success || !isOwn(subnet.data.network_id)) {
      report.refused.subnets.push(refusedSubnet(sent, subnet.success));
    } else if (report.subnets.length < maximumEntities.subnets) {
      report.subnets.push({
        ...toSubnet(subnet.data),
        pending: { id: subnet.data.id, sent },
      });
    } else {
      report.isWhole = false;
    }
  }

  const blocks = new Set(report.subnets.map(({ cidr }) => cidr));
  const takeSubnetsOf = (host: WireHost) => {
    for (const sent of host.subnets) {
      const subnet = subnetSchema.safeParse(sent);
      if (!subnet.success || !isOwn(subnet.data.network_id)) {
        report.refused.subnets.push({ ...refusedSubnet(sent, subnet.success), pending: null });
      } else if (!blocks.has(subnet.data.cidr) && blocks.size < reportLimits.subnets) {
        blocks.add(subnet.data.cidr);
        report.subnets.push({ ...toSubnet(subnet.data), pending: null });
      }
    }
  };

  const byId = new Map<string, SeenHost>();
  const seen: SeenHost[] = [];
  let rows = 0;
  for (const [index, sent] of hosts.entries()) {
    if (seen.length >= maximumEntities.hosts || rows >= maximumEntities.rows) {
      report.isWhole = false;
      break;
    }
    const host = hostSchema.safeParse(sent);
    if (!host.success || !isOwn(host.data.host.network_id)) {
      report.refused.hosts.push(refusedHost(sent, host.success));
      continue;
    }
    takeSubnetsOf(host.data);
    const converted = toHost(host.data, index);
    rows += rowsOf(converted);
    const { id } = host.data.host;
    const pending = { id, sent };
    const known = id === nilId ? undefined : byId.get(id);
    if (known) {
      // Found, then looked at more closely: one host, of which the later report knows more.
      known.later.push(converted);
      known.pending = pending;
    } else {
      const added: SeenHost = { first: converted, later: [], pending };
      byId.set(id, added);
      seen.push(added);
    }
  }
  report.hosts = seen.map(({ first, later, pending }) => ({ ...unite(first, later), pending }));
  return report;
}

/** All that a poll says of one host. */
interface SeenHost {
  first: ReportedHost;
  later: ReportedHost[];
  /** The last of it. */
  pending: PendingEntity;
}

const pendingOf = (id: string | undefined, sent: unknown): PendingEntity | null =>
  id === undefined || id === nilId ? null : { id, sent };

function refusedSubnet(sent: unknown, hasShape: boolean): RefusedEntity {
  const known = refusedSubnetSchema.safeParse(sent).data;
  return {
    reason: hasShape ? "other_network" : "wrong_shape",
    pending: pendingOf(known?.id, sent),
  };
}

/** Its addresses are those of the daemon's network that were seen all the same. */
function refusedHost(sent: unknown, hasShape: boolean): RefusedEntity & { addresses: string[] } {
  const known = refusedHostSchema.safeParse(sent).data;
  return {
    reason: hasShape ? "other_network" : "wrong_shape",
    pending: pendingOf(known?.host.id, sent),
    addresses: hasShape ? [] : (known?.ip_addresses ?? []),
  };
}

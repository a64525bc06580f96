import { takeDetails } from "../../../discovery/details.ts";
import { type ReportedHost, type ReportedSubnet, reportLimits } from "../../../discovery/report.ts";
import type { Pace, Steps } from "../../../discovery/steps.ts";
import { uniteReports } from "../../../discovery/unite.ts";
import { rowsOf, toHost, toSubnet } from "./convert.ts";
import type { Piece } from "./json-pieces.ts";
import {
  maximumEntities,
  nilId,
  type PendingEntity,
  refusedHostSchema,
  refusedSubnetSchema,
  subnetSchema,
  type WireHost,
} from "./protocol.ts";
import { addressesOf, judgeHost, openHost, type SentHost } from "./sent-host.ts";

/** What judging a subnet or the name of a host costs, in units of work. */
const cost = 30;

/** What a poll reports, piece by piece; null where there was something other than an object. */
export interface SentEntities {
  hosts: readonly (Piece | null)[];
  subnets: readonly (Piece | null)[];
}

/** What a poll reports, in the form that is ingested, and what is then confirmed. */
export interface ConvertedReport {
  /** One that was reported inside a host is no entity of its own, and is not confirmed. */
  subnets: (ReportedSubnet & { pending: PendingEntity | null })[];
  hosts: (ReportedHost & { pending: PendingEntity; lacksParts: boolean })[];
  /** How many hosts had a detail that could not be taken, and the first of these. */
  details: { hosts: number; first: string[] };
  refused: { subnets: RefusedEntity[]; hosts: RefusedHost[] };
  /** How many hosts said more over several entries than one host may; the rest is left out. */
  leftOut: number;
  /** Whether nothing waits for the next poll. */
  isWhole: boolean;
}

/** An entity that can never be accepted. */
interface RefusedEntity {
  reason: "wrong_shape" | "too_large" | "other_network";
  /** Null where it has no id to confirm it by. */
  pending: PendingEntity | null;
}

interface RefusedHost extends RefusedEntity {
  addresses: string[];
  /** Whether these, and its id, are all by which it is known. */
  isIdentified: boolean;
}

/**
 * Turns what a daemon reports into a report of its own network (API contract, section 10). Ids of its
 * making mean something only within this report, and are gone afterwards. Touches nothing else, and takes
 * time that grows with what was sent, in steps.
 * @param networkId the daemon's network; an entity that names another one is not believed
 * @throws {CallFailure} `not_json`
 */
export function* convertReport(
  networkId: string,
  { hosts, subnets }: SentEntities,
  pace: Pace,
): Steps<ConvertedReport> {
  const report: ConvertedReport = {
    subnets: [],
    hosts: [],
    refused: { subnets: [], hosts: [] },
    details: { hosts: 0, first: [] },
    leftOut: 0,
    isWhole: true,
  };
  const isOwn = (claimed: unknown) =>
    claimed === null ||
    claimed === undefined ||
    (typeof claimed === "string" && [nilId, networkId].includes(claimed.toLowerCase()));

  for (const piece of subnets) {
    if (pace.isOver(cost + (piece?.units ?? 0))) {
      yield;
    }
    const sent = piece?.parse();
    const subnet = takeDetails(subnetSchema, sent).value;
    if (subnet === null || !isOwn(subnet.network_id)) {
      report.refused.subnets.push(refusedSubnet(sent, subnet !== null));
    } else if (report.subnets.length < maximumEntities.subnets) {
      report.subnets.push({ ...toSubnet(subnet), pending: { id: subnet.id, sent } });
    } else {
      report.isWhole = false;
    }
  }

  const blocks = new Set(report.subnets.map(({ cidr }) => cidr));
  function* takeSubnetsOf(host: WireHost): Steps<void> {
    for (const sent of host.subnets) {
      if (pace.isOver(cost)) {
        yield;
      }
      const subnet = takeDetails(subnetSchema, sent).value;
      if (subnet === null || !isOwn(subnet.network_id)) {
        report.refused.subnets.push({ ...refusedSubnet(sent, subnet !== null), pending: null });
      } else if (!blocks.has(subnet.cidr) && blocks.size < reportLimits.subnets) {
        blocks.add(subnet.cidr);
        report.subnets.push({ ...toSubnet(subnet), pending: null });
      }
    }
  }

  const byId = new Map<string, SeenHost>();
  const seen: SeenHost[] = [];
  let [rows, bytes] = [0, 0];
  for (const [index, piece] of hosts.entries()) {
    if (
      seen.length >= maximumEntities.hosts ||
      rows >= maximumEntities.rows ||
      bytes >= maximumEntities.bytes
    ) {
      report.isWhole = false;
      break;
    }
    if (pace.isOver(cost)) {
      yield;
    }
    const opened = piece ? yield* openHost(piece, pace) : nothing;
    const { sent } = opened;
    const host = yield* judgeHost(opened, pace);
    if (host === null || !isOwn(host.host.network_id)) {
      report.refused.hosts.push(yield* refusedHost(opened, host !== null, pace));
      continue;
    }
    noteDetails(report.details, index, host);
    yield* takeSubnetsOf(host);
    const { id } = host.host;
    const added = rowsOf(host);
    rows += added;
    bytes += opened.bytes;
    if (pace.isOver(4 * added)) {
      yield;
    }
    const converted = toHost(host, index);
    const pending = { id, sent };
    const known = id === nilId ? undefined : byId.get(id);
    if (known) {
      // Found, then looked at more closely: one host, of which the later report knows more.
      known.later.push(converted);
      known.pending = pending;
      known.lacksParts ||= host.lacksParts;
    } else {
      const { lacksParts } = host;
      const first: SeenHost = { first: converted, later: [], pending, lacksParts };
      byId.set(id, first);
      seen.push(first);
    }
  }
  for (const { first, later, pending, lacksParts } of seen) {
    const { host, leftOut } = yield* uniteReports(first, later, reportLimits, pace);
    report.hosts.push({ ...host, pending, lacksParts });
    report.leftOut += leftOut > 0 ? 1 : 0;
  }
  return report;
}

/** All that a poll says of one host. */
interface SeenHost {
  first: ReportedHost;
  later: ReportedHost[];
  /** The last of it. */
  pending: PendingEntity;
  lacksParts: boolean;
}

/** The most details that are named of one poll. */
const maximumDetails = 20;

function noteDetails(
  details: ConvertedReport["details"],
  index: number,
  { issues }: WireHost,
): void {
  details.hosts += issues.count > 0 ? 1 : 0;
  for (const { path, message } of issues.first) {
    if (details.first.length === maximumDetails) {
      return;
    }
    details.first.push(`hosts[${index}].${path.replace(/^\./, "")} ${message}`);
  }
}

/** What was sent is not an object. */
const nothing: SentHost = { sent: {}, bytes: 0, isTooLarge: false, lacksAddresses: false };

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
function* refusedHost(
  { sent, isTooLarge, lacksAddresses }: SentHost,
  hasShape: boolean,
  pace: Pace,
): Steps<RefusedHost> {
  const known = refusedHostSchema.safeParse(sent).data;
  return {
    reason: hasShape ? "other_network" : isTooLarge ? "too_large" : "wrong_shape",
    pending: pendingOf(known?.host.id, sent),
    addresses: hasShape ? [] : yield* addressesOf(known?.ip_addresses ?? [], pace),
    isIdentified: hasShape || (known !== undefined && !lacksAddresses),
  };
}

import { takeDetails } from "../../../discovery/details.ts";
import { type ReportedHost, type ReportedSubnet, reportLimits } from "../../../discovery/report.ts";
import type { Pace, Steps } from "../../../discovery/steps.ts";
import { uniteReports } from "../../../discovery/unite.ts";
import { rowsOf, toHost, toSubnet } from "./convert.ts";
import { addressesOf, type ParsedHost, parseHost, validateHost } from "./host-parser.ts";
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

/** The cost of validating a subnet or the fields of a host, in units of work. */
const cost = 30;

/** The unparsed entities of a poll; null for an entity that is not an object. */
export interface SentEntities {
  hosts: readonly (Piece | null)[];
  subnets: readonly (Piece | null)[];
}

/**
 * A poll that has been converted for ingestion, with the entities that are confirmed afterwards.
 */
export interface ConvertedReport {
  /** `pending` is null for a subnet that was reported inside a host: it is not confirmed. */
  subnets: (ReportedSubnet & { pending: PendingEntity | null })[];
  hosts: (ReportedHost & { pending: PendingEntity; lacksParts: boolean })[];
  /** The number of hosts with invalid details, and the first few of these details. */
  details: { hosts: number; first: string[] };
  refused: { subnets: RefusedEntity[]; hosts: RefusedHost[] };
  /**
   * The number of hosts whose combined entries exceed the limits for one host. The excess is
   * omitted.
   */
  leftOut: number;
  /** True unless entities exceed the limits of one poll and follow in the next one. */
  isWhole: boolean;
}

/** An entity that stays invalid, however often it is sent. */
interface RefusedEntity {
  reason: "wrong_shape" | "too_large" | "other_network";
  /** Null if it has no id. */
  pending: PendingEntity | null;
}

interface RefusedHost extends RefusedEntity {
  addresses: string[];
  /** True if `pending` and `addresses` are complete: the host has no other ids or addresses. */
  isIdentified: boolean;
}

/**
 * Converts the entities of a poll to a report on the daemon's network (API contract, section 10).
 * The daemon's ids are valid only within one report, and are replaced by natural keys. Runs in
 * steps, in linear time.
 * @param networkId the daemon's network; an entity that claims another network is refused
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
  function* addSubnetsOf(host: WireHost): Steps<void> {
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

  const byId = new Map<string, HostEntries>();
  const seen: HostEntries[] = [];
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
    const parsed = piece ? yield* parseHost(piece, pace) : emptyHost;
    const { sent } = parsed;
    const host = yield* validateHost(parsed, pace);
    if (host === null || !isOwn(host.host.network_id)) {
      report.refused.hosts.push(yield* refusedHost(parsed, host !== null, pace));
      continue;
    }
    recordDetails(report.details, index, host);
    yield* addSubnetsOf(host);
    const { id } = host.host;
    const added = rowsOf(host);
    rows += added;
    bytes += parsed.bytes;
    if (pace.isOver(4 * added)) {
      yield;
    }
    const converted = toHost(host, index);
    const pending = { id, sent };
    const known = id === nilId ? undefined : byId.get(id);
    if (known) {
      // Daemons report a host once it is discovered, and again with more details once it is
      // scanned.
      known.later.push(converted);
      known.pending = pending;
      known.lacksParts ||= host.lacksParts;
    } else {
      const { lacksParts } = host;
      const first: HostEntries = { first: converted, later: [], pending, lacksParts };
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

/** The entries of one host in a poll. */
interface HostEntries {
  first: ReportedHost;
  later: ReportedHost[];
  /** The last entry, which is the one to confirm. */
  pending: PendingEntity;
  lacksParts: boolean;
}

/** Maximum number of invalid details that are listed per poll. */
const maximumDetails = 20;

function recordDetails(
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

/** Replaces an entity that is not an object. */
const emptyHost: ParsedHost = { sent: {}, bytes: 0, isTooLarge: false, lacksAddresses: false };

const pendingOf = (id: string | undefined, sent: unknown): PendingEntity | null =>
  id === undefined || id === nilId ? null : { id, sent };

function refusedSubnet(sent: unknown, isValid: boolean): RefusedEntity {
  const known = refusedSubnetSchema.safeParse(sent).data;
  return {
    reason: isValid ? "other_network" : "wrong_shape",
    pending: pendingOf(known?.id, sent),
  };
}

/**
 * A refused host on the daemon's network keeps its addresses: they were seen, so the scan must not
 * treat them as absent.
 */
function* refusedHost(
  { sent, isTooLarge, lacksAddresses }: ParsedHost,
  isValid: boolean,
  pace: Pace,
): Steps<RefusedHost> {
  const known = refusedHostSchema.safeParse(sent).data;
  return {
    reason: isValid ? "other_network" : isTooLarge ? "too_large" : "wrong_shape",
    pending: pendingOf(known?.host.id, sent),
    addresses: isValid ? [] : yield* addressesOf(known?.ip_addresses ?? [], pace),
    isIdentified: isValid || (known !== undefined && !lacksAddresses),
  };
}

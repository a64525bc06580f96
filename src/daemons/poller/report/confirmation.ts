import type { IngestResult } from "../../../discovery/report.ts";
import type { Pace, Steps } from "../../../discovery/steps.ts";
import { maximumEntities, nilId, type PendingEntity } from "./protocol.ts";
import type { ConvertedReport } from "./reported-entities.ts";

/** Entities as the daemon sent them, each with its id in the database. */
export interface ConfirmedEntities {
  hosts: readonly { pending: PendingEntity; id: string }[];
  subnets: readonly { pending: PendingEntity; id: string }[];
}

/** Number of bytes of JSON that are written per unit of work. */
const bytesPerUnit = 128;

/**
 * Builds the JSON body of `discovery/entities-created`: for each entity, the id that the daemon
 * gave it, and the entity under the id that the daemon must use from now on.
 */
export function* confirmationOf(
  networkId: string,
  { hosts, subnets }: ConfirmedEntities,
  pace: Pace,
): Steps<string> {
  function* list<Entity>(
    entities: readonly Entity[],
    pairOf: (entity: Entity) => readonly [string, object],
  ): Steps<string> {
    const texts: string[] = [];
    for (const entity of entities) {
      const text = JSON.stringify(pairOf(entity));
      texts.push(text);
      if (pace.isOver(1 + text.length / bytesPerUnit)) {
        yield;
      }
    }
    return `[${texts.join(",")}]`;
  }
  const hostList = yield* list(hosts, ({ pending, id }) => {
    const { host, ip_addresses, ports, services } = Object(pending.sent);
    return [
      pending.id,
      {
        ...host,
        id,
        network_id: networkId,
        ip_addresses: ip_addresses ?? [],
        ports: ports ?? [],
        services: services ?? [],
        interfaces: [],
      },
    ];
  });
  const subnetList = yield* list(subnets, ({ pending, id }) => [
    pending.id,
    { ...Object(pending.sent), id, network_id: networkId },
  ]);
  return `{"hosts":${hostList},"subnets":${subnetList}}`;
}

/** Entities in a report that were refused or could not be stored. */
export interface Unstored {
  hosts: readonly UnstoredHost[];
  subnets: readonly { pending: PendingEntity | null; reason: string }[];
}

interface UnstoredHost {
  pending: PendingEntity | null;
  reason: string;
  addresses: readonly string[];
  /** True if `pending` and `addresses` are complete: the host has no other ids or addresses. */
  isIdentified: boolean;
}

/**
 * Returns the entities of a report that are not stored. Sending them again would not help: an
 * invalid shape stays invalid, and contradictory hosts stay contradictory.
 * @param results the results of the hosts that were ingested
 */
export function unstoredOf(
  { hosts, refused }: ConvertedReport,
  results: IngestResult["hosts"],
): Unstored {
  const byIndex = new Map(hosts.map((host) => [host.index, host]));
  const failed = results.flatMap(({ index, host_id, issues }) => {
    const host = host_id === null ? byIndex.get(index) : undefined;
    return host ? [notStored(host, issues[0]?.code ?? "failed")] : [];
  });
  return { hosts: [...refused.hosts, ...failed], subnets: refused.subnets };
}

const notStored = (host: ConvertedReport["hosts"][number], reason: string): UnstoredHost => ({
  pending: host.id === null ? null : host.pending,
  reason,
  addresses: host.addresses.map(({ ip_address }) => ip_address),
  isIdentified: true,
});

/**
 * Returns the hosts from which an invalid port, service, binding or address was dropped. The scan
 * must not treat a dropped part as absent, which would end it.
 */
export const partlyStoredOf = ({ hosts }: ConvertedReport): readonly UnstoredHost[] =>
  hosts.filter(({ lacksParts }) => lacksParts).map((host) => notStored(host, "lacks_parts"));

/** Returns all hosts of a report whose transaction failed, or may have failed. */
export const deferredOf = ({ hosts, refused }: ConvertedReport): readonly UnstoredHost[] => [
  ...refused.hosts,
  ...hosts.map((host) => notStored(host, "deferred")),
];

/**
 * Maximum number of ids and addresses per poll: one more than `app.note_scan_gaps` keeps per scan.
 */
const maximumGaps = 10_001;

/** Hosts that were seen but are not stored, by id and address. */
export interface Gaps {
  /** Null if any host cannot be identified. */
  hosts: string[] | null;
  addresses: string[];
}

/** Collects the ids and addresses of hosts that are not stored. */
export function* gapsOf(hosts: readonly UnstoredHost[], pace: Pace): Steps<Gaps> {
  const ids = new Set<string>();
  const addresses = new Set<string>();
  for (const host of hosts) {
    if (!host.isIdentified) {
      return { hosts: null, addresses: [] };
    }
    if (host.pending !== null && ids.size < maximumGaps) {
      ids.add(host.pending.id);
    }
    for (const address of host.addresses) {
      if (addresses.size === maximumGaps) {
        break;
      }
      addresses.add(address);
      if (pace.isOver(1)) {
        yield;
      }
    }
    if (pace.isOver(1)) {
      yield;
    }
  }
  return { hosts: [...ids], addresses: [...addresses] };
}

/**
 * Returns the unstored entities under the daemon's own ids. Confirming them unchanged keeps the
 * daemon from reporting them again.
 * @param stored the daemon's ids for the stored entities. They are excluded, since an entity that
 *   was sent twice can be both stored and unstored
 */
export function returnedOf(unstored: Unstored, stored: ReadonlySet<string>) {
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

import type { IngestResult } from "../../../discovery/report.ts";
import type { Pace, Steps } from "../../../discovery/steps.ts";
import { maximumEntities, nilId, type PendingEntity } from "./protocol.ts";
import type { ConvertedReport } from "./reported-entities.ts";

/** Entities, each with the id by which the daemon is to know it from now on. */
export interface ConfirmedEntities {
  hosts: readonly { pending: PendingEntity; id: string }[];
  subnets: readonly { pending: PendingEntity; id: string }[];
}

/** So many bytes of JSON are made for each unit of work. */
const bytesPerUnit = 128;

/**
 * What `discovery/entities-created` tells a daemon, as JSON: for each entity its id in the report, and
 * the record under the id that it is stored by.
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

/** Entities of a report that were refused, or failed for a contradiction. */
export interface Unstored {
  hosts: readonly UnstoredHost[];
  subnets: readonly { pending: PendingEntity | null; reason: string }[];
}

interface UnstoredHost {
  pending: PendingEntity | null;
  reason: string;
  addresses: readonly string[];
  /** Whether its addresses and its id are all by which it is known. */
  isKnown: boolean;
}

/**
 * The entities of a report that are not stored. They never will be: what is of a wrong shape stays
 * so, and hosts that contradict others would contradict them again, or be taken for them in the
 * end.
 * @param results of the hosts that were ingested
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
  isKnown: true,
});

/**
 * Hosts that are stored without a port, a service, a binding or an address that could not be taken: a scan must
 * not end these because it did not see them again.
 */
export const partlyStoredOf = ({ hosts }: ConvertedReport): readonly UnstoredHost[] =>
  hosts.filter(({ lacksParts }) => lacksParts).map((host) => notStored(host, "lacks_parts"));

/** The entities of a report that the database did not take, or may not have taken: all of them. */
export const putOffOf = ({ hosts, refused }: ConvertedReport): Unstored => ({
  hosts: [...refused.hosts, ...hosts.map((host) => notStored(host, "put_off"))],
  subnets: refused.subnets,
});

/** The most that is remembered of one poll: one more than of a whole scan (app.note_scan_gaps). */
const maximumGaps = 10_001;

/** By what hosts are known: their ids, which are null where there may be any others, and their addresses. */
interface Gaps {
  hosts: string[] | null;
  addresses: string[];
}

/** By what the hosts that are not stored are known. */
export function* gapsOf({ hosts }: Pick<Unstored, "hosts">, pace: Pace): Steps<Gaps> {
  const ids = new Set<string>();
  const addresses = new Set<string>();
  for (const host of hosts) {
    if (!host.isKnown) {
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

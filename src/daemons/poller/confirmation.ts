import type { Pace, Steps } from "../../discovery/steps.ts";

/** An entity as the daemon sent it, and the id by which it is confirmed. */
export interface PendingEntity {
  id: string;
  /** As it came: what the daemon has written it can read. */
  sent: unknown;
}

/** Entities, each with the id that the daemon shall know it by from now on. */
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

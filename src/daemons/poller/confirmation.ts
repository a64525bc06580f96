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

/**
 * What `discovery/entities-created` tells a daemon: for each entity its id in the report, and the
 * record under the id that it is stored by.
 */
export function confirmationOf(networkId: string, { hosts, subnets }: ConfirmedEntities) {
  return {
    hosts: hosts.map(({ pending, id }) => {
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
      ] as const;
    }),
    subnets: subnets.map(
      ({ pending, id }) =>
        [pending.id, { ...Object(pending.sent), id, network_id: networkId }] as const,
    ),
  };
}

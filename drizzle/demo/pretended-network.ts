/** A host that exists only in the reports of a demo daemon. */
export interface PretendedHost {
  name: string;
  ip_address: string;
  mac_address: string;
  services: readonly { name: string; port: number }[];
}

/** The scan results of a demo daemon: a subnet that the seeded inventory does not contain. */
export interface PretendedNetwork {
  /** A subnet of the seeded inventory that the daemon is attached to, so that it reaches hosts. */
  seeded: string;
  cidr: string;
  name: string;
  hosts: readonly PretendedHost[];
}

/** The networks of demo daemons, by daemon name. Service names are unique. */
const networks: ReadonlyMap<string, PretendedNetwork> = new Map([
  [
    "attic",
    {
      seeded: "192.168.1.0/24",
      cidr: "192.168.77.0/24",
      name: "Garden",
      hosts: [
        {
          name: "weather-station",
          ip_address: "192.168.77.10",
          mac_address: "02:00:5E:77:00:10",
          services: [
            { name: "WeeWX", port: 8080 },
            { name: "Telegraf", port: 9273 },
          ],
        },
        {
          name: "greenhouse-camera",
          ip_address: "192.168.77.11",
          mac_address: "02:00:5E:77:00:11",
          services: [{ name: "MediaMTX", port: 554 }],
        },
      ],
    },
  ],
  [
    "workshop",
    {
      seeded: "10.20.0.0/24",
      cidr: "192.168.78.0/24",
      name: "Workbench",
      hosts: [
        {
          name: "3d-printer",
          ip_address: "192.168.78.10",
          mac_address: "02:00:5E:78:00:10",
          services: [
            { name: "OctoPrint", port: 5000 },
            { name: "Moonraker", port: 7125 },
          ],
        },
        {
          name: "laser-cutter",
          ip_address: "192.168.78.11",
          mac_address: "02:00:5E:78:00:11",
          services: [{ name: "LaserWeb", port: 8000 }],
        },
      ],
    },
  ],
]);

/** Every service of a simulated network, with its host and the daemon that finds it. */
export const pretendedServices = [...networks].flatMap(([daemon, { hosts }]) =>
  hosts.flatMap((host) => host.services.map(({ name }) => ({ name, host: host.name, daemon }))),
);

/** The network of a daemon, without stopped services. */
export function listeningNetwork(
  daemon: string,
  stopped: ReadonlySet<string>,
): PretendedNetwork | undefined {
  const network = networks.get(daemon);
  return (
    network && {
      ...network,
      hosts: network.hosts.map((host) => ({
        ...host,
        services: host.services.filter(({ name }) => !stopped.has(name)),
      })),
    }
  );
}

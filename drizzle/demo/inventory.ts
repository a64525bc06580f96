/** A service on a demo host: its name, its port, and its previous port if it moved. */
export interface DemoService {
  name: string;
  /** The product and its version, if known. */
  version?: string;
  port: number;
  protocol: "Tcp" | "Udp";
  /** The previous port, and when the service stopped using it. */
  before?: { port: number; until: string };
  /** Listens on every address of the host instead of only the first one. */
  onAllAddresses?: true;
  /** The name of the container in which it runs, on the host's service `Docker`. */
  container?: string;
}

export interface DemoHost {
  name: string;
  network: "Home" | "Lab";
  addresses: string[];
  /** Addresses that the host was given after its first sighting. */
  laterAddresses?: { address: string; since: string }[];
  /** The id of the virtual machine, on the hypervisor's service `Proxmox VE`. */
  virtualMachine?: string;
  services: DemoService[];
  /** The time of its first sighting. */
  since: string;
  hardware: { manufacturer: string; model: string };
  /** Earlier values, each with the time at which it stopped being valid. */
  earlier?: { until: string; sys_descr?: string; description?: string; name?: string }[];
  sys_descr?: string;
  /** The name that the host gives itself. */
  sys_name?: string;
  /** The operating system, if the host does not report it over SNMP. */
  operating_system?: string;
}

const tcp = (name: string, port: number, more: Partial<DemoService> = {}): DemoService => ({
  name,
  port,
  protocol: "Tcp",
  ...more,
});
const udp = (name: string, port: number): DemoService => ({ name, port, protocol: "Udp" });
const ssh = tcp("OpenSSH", 22, { version: "OpenSSH 9.6p1" });
const snmp = udp("SNMP", 161);

/** The machines of the demo organization. */
export const demoHosts: DemoHost[] = [
  {
    name: "router",
    since: "2022-09-03T09:12:40.000Z",
    hardware: { manufacturer: "PC Engines", model: "APU4D4" },
    sys_descr: "OPNsense 25.7",
    earlier: [
      { until: "2023-02-11T21:30:05.400Z", sys_descr: "OPNsense 22.7" },
      { until: "2023-08-19T20:14:51.020Z", sys_descr: "OPNsense 23.1" },
      { until: "2024-02-24T22:02:17.730Z", sys_descr: "OPNsense 23.7" },
      { until: "2024-08-10T21:45:33.310Z", sys_descr: "OPNsense 24.1" },
      { until: "2025-02-22T20:51:08.660Z", sys_descr: "OPNsense 24.7" },
      { until: "2025-09-09T20:33:12.480Z", sys_descr: "OPNsense 25.1" },
    ],
    network: "Home",
    addresses: ["192.168.1.1", "10.20.0.1"],
    laterAddresses: [
      { address: "192.168.20.1", since: "2023-04-08T10:30:00.000Z" },
      { address: "192.168.30.1", since: "2023-12-16T11:45:00.000Z" },
    ],
    services: [
      ssh,
      snmp,
      udp("DHCP Server", 67),
      tcp("Unbound", 53, { version: "Unbound 1.19.2", onAllAddresses: true }),
      tcp("Admin console", 443, { before: { port: 80, until: "2025-04-12T19:20:31.118Z" } }),
    ],
  },
  {
    name: "nas",
    since: "2022-10-15T14:03:22.000Z",
    hardware: { manufacturer: "Synology", model: "DS920+" },
    sys_descr: "DSM 7.2.2",
    earlier: [
      { until: "2023-06-03T08:20:41.900Z", sys_descr: "DSM 7.1", name: "diskstation" },
      { until: "2024-10-05T07:12:09.250Z", sys_descr: "DSM 7.2", name: "diskstation" },
    ],
    network: "Home",
    addresses: ["192.168.1.10"],
    services: [
      ssh,
      snmp,
      tcp("Samba", 445, { version: "Samba smbd 4.15.9" }),
      tcp("NFS", 2049),
      tcp("Web station", 5001, { before: { port: 5000, until: "2025-05-03T07:41:09.520Z" } }),
    ],
  },
  {
    name: "media",
    since: "2022-12-26T16:40:11.000Z",
    hardware: { manufacturer: "Intel", model: "NUC11" },
    operating_system: "Ubuntu 24.04",
    network: "Home",
    addresses: ["192.168.1.20"],
    services: [
      ssh,
      tcp("Jellyfin", 8920, { before: { port: 8096, until: "2025-06-21T20:05:44.903Z" } }),
    ],
  },
  {
    name: "printer",
    since: "2022-09-10T10:25:00.000Z",
    hardware: { manufacturer: "Brother", model: "HL-L2375DW" },
    network: "Home",
    addresses: ["192.168.1.30"],
    services: [snmp, tcp("Print Server", 631)],
  },
  {
    name: "home-assistant",
    since: "2023-04-08T11:11:30.000Z",
    hardware: { manufacturer: "Home Assistant", model: "Green" },
    sys_descr: "Home Assistant OS 16",
    earlier: [
      { until: "2024-06-15T15:05:55.120Z", sys_descr: "Home Assistant OS 10" },
      { until: "2025-06-01T09:48:27.840Z", sys_descr: "Home Assistant OS 12" },
    ],
    network: "Home",
    addresses: ["192.168.1.40"],
    services: [
      ssh,
      tcp("Home Assistant", 8123),
      tcp("Mosquitto", 8883, { before: { port: 1883, until: "2025-07-08T16:30:00.250Z" } }),
    ],
  },
  {
    name: "desk",
    since: "2022-09-04T18:00:12.000Z",
    hardware: { manufacturer: "Lenovo", model: "ThinkCentre M75q" },
    operating_system: "Linux 5.0 - 5.14",
    network: "Home",
    addresses: ["192.168.1.50"],
    services: [ssh],
  },
  {
    name: "hypervisor",
    since: "2023-01-21T13:37:00.000Z",
    hardware: { manufacturer: "Supermicro", model: "A2SDi-8C" },
    sys_descr: "Proxmox VE 8.4",
    earlier: [
      { until: "2023-09-16T19:26:14.510Z", sys_descr: "Proxmox VE 7.4" },
      { until: "2024-12-07T18:09:36.070Z", sys_descr: "Proxmox VE 8.1" },
    ],
    network: "Lab",
    addresses: ["10.20.0.2", "10.20.1.2"],
    services: [tcp("Proxmox VE", 8006, { onAllAddresses: true }), ssh, snmp],
  },
  {
    name: "git",
    since: "2023-03-04T12:50:00.000Z",
    hardware: { manufacturer: "QEMU", model: "Standard PC" },
    operating_system: "Debian 12",
    sys_name: "debian",
    network: "Lab",
    addresses: ["10.20.0.10"],
    virtualMachine: "100",
    services: [
      ssh,
      tcp("Forgejo", 443, { before: { port: 3000, until: "2025-04-28T11:12:13.141Z" } }),
      tcp("PostgreSQL", 5432, { version: "PostgreSQL DB 16.4" }),
    ],
  },
  {
    name: "ci",
    since: "2023-11-25T17:15:00.000Z",
    hardware: { manufacturer: "QEMU", model: "Standard PC" },
    sys_name: "debian",
    network: "Lab",
    addresses: ["10.20.0.11"],
    virtualMachine: "101",
    services: [
      ssh,
      tcp("Docker", 2376, { before: { port: 2375, until: "2025-05-17T05:55:10.777Z" } }),
      tcp("Container registry", 5000, { version: "Distribution 2.8.3", container: "registry" }),
      tcp("MinIO", 9000, { container: "minio" }),
    ],
  },
  {
    name: "monitoring",
    since: "2024-01-20T15:55:00.000Z",
    hardware: { manufacturer: "QEMU", model: "Standard PC" },
    network: "Lab",
    addresses: ["10.20.0.12"],
    virtualMachine: "102",
    services: [
      ssh,
      tcp("Prometheus", 9090, { version: "Prometheus 2.53.1" }),
      tcp("Grafana", 443, { before: { port: 3000, until: "2025-08-02T09:00:59.005Z" } }),
      tcp("Loki", 3100),
    ],
  },
  {
    name: "kubernetes",
    since: "2024-09-28T10:30:00.000Z",
    hardware: { manufacturer: "QEMU", model: "Standard PC" },
    network: "Lab",
    addresses: ["10.20.0.20"],
    services: [ssh, tcp("Kubernetes API", 6443), tcp("etcd", 2379)],
  },
  {
    name: "switch",
    since: "2023-01-21T12:02:00.000Z",
    hardware: { manufacturer: "Mikrotik", model: "CRS326" },
    network: "Lab",
    addresses: ["10.20.0.254"],
    services: [snmp, tcp("Web management", 443)],
  },
];

/**
 * The service that is recorded for hosts that respond to pings. It is bound to an address, and has
 * no port.
 */
export const ping = "Ping";

/** The time at which the telnet servers were removed, and the machines that had one. */
export const telnetRemoved = "2025-03-20T12:00:00.000Z";
export const telnetHosts = new Set(
  demoHosts.flatMap(({ name }, position) => (position % 3 === 0 ? [name] : [])),
);

/** Machines that were removed. */
export const goneHosts = [
  {
    name: "access-point",
    network: "Home",
    address: "192.168.1.2",
    port: 80,
    since: "2022-09-03T09:30:00.000Z",
    until: "2024-04-13T16:22:08.300Z",
  },
  {
    name: "old-nas",
    network: "Home",
    address: "192.168.1.11",
    port: 445,
    since: "2022-09-05T19:44:00.000Z",
    until: "2022-11-19T12:00:41.110Z",
  },
  {
    name: "pi-hole",
    network: "Home",
    address: "192.168.1.3",
    port: 53,
    since: "2022-11-12T20:20:00.000Z",
    until: "2024-07-27T21:17:53.640Z",
  },
  {
    name: "test-vm",
    network: "Lab",
    address: "10.20.0.30",
    port: 8080,
    since: "2023-05-13T14:08:00.000Z",
    until: "2023-07-22T22:41:19.960Z",
  },
  {
    name: "camera",
    network: "Home",
    address: "192.168.1.60",
    port: 554,
    since: "2023-10-07T09:09:00.000Z",
    until: "2025-01-11T10:36:28.770Z",
  },
  {
    name: "builder",
    network: "Lab",
    address: "10.20.0.31",
    port: 2375,
    since: "2024-05-25T13:33:00.000Z",
    until: "2024-11-02T18:58:02.420Z",
  },
  {
    name: "guest-laptop",
    network: "Home",
    address: "192.168.1.61",
    port: 22,
    since: "2025-09-11T18:25:00.000Z",
    until: "2025-09-14T18:50:44.150Z",
  },
] as const;

/** The subnets of the demo networks. */
export const demoSubnets = [
  {
    network: "Home",
    cidr: "192.168.1.0/24",
    name: "Ground floor",
    subnet_type: "Lan",
    since: "2022-09-01T08:05:00.000Z",
  },
  {
    network: "Home",
    cidr: "192.168.20.0/24",
    name: "Things",
    subnet_type: "IoT",
    since: "2023-04-08T10:00:00.000Z",
  },
  {
    network: "Home",
    cidr: "192.168.30.0/24",
    name: "Guests",
    subnet_type: "Guest",
    since: "2023-12-16T11:30:00.000Z",
  },
  {
    network: "Lab",
    cidr: "10.20.0.0/24",
    name: "Lab",
    subnet_type: "Lan",
    since: "2022-09-01T08:06:00.000Z",
  },
  {
    network: "Lab",
    cidr: "10.20.1.0/24",
    name: "Disks",
    subnet_type: "Storage",
    since: "2023-01-21T12:00:00.000Z",
  },
  {
    network: "Home",
    cidr: "192.168.99.0/24",
    name: "VPN",
    subnet_type: "VpnTunnel",
    since: "2023-03-18T09:00:00.000Z",
    until: "2024-03-09T19:05:37.500Z",
  },
] as const;

/** Open ports on the NAS that have no known service. */
export const unclaimedPorts = [
  { host: "nas", number: 9000, protocol: "Tcp", since: "2025-09-10T03:15:22.000Z" },
  { host: "nas", number: 9443, protocol: "Tcp", since: "2025-09-10T03:15:22.000Z" },
] as const;

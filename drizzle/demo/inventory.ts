/** A service of a demo host: its name, its port, and the port that it had before, if it moved. */
export interface DemoService {
  name: string;
  port: number;
  protocol: "Tcp" | "Udp";
  /** Where it listened before, and until when. */
  before?: { port: number; until: string };
  /** Listens on every address of the host instead of its first one. */
  onAllAddresses?: true;
}

export interface DemoHost {
  name: string;
  network: "Home" | "Lab";
  addresses: string[];
  services: DemoService[];
}

const tcp = (name: string, port: number, more: Partial<DemoService> = {}): DemoService => ({
  name,
  port,
  protocol: "Tcp",
  ...more,
});
const udp = (name: string, port: number): DemoService => ({ name, port, protocol: "Udp" });
const ssh = tcp("OpenSSH", 22);
const snmp = udp("SNMP", 161);

/** The machines of the demo organization. */
export const demoHosts: DemoHost[] = [
  {
    name: "router",
    network: "Home",
    addresses: ["192.168.1.1", "10.20.0.1"],
    services: [
      ssh,
      snmp,
      udp("DHCP", 67),
      tcp("Unbound", 53, { onAllAddresses: true }),
      tcp("Admin console", 443, { before: { port: 80, until: "2025-04-12T19:20:31.118Z" } }),
    ],
  },
  {
    name: "nas",
    network: "Home",
    addresses: ["192.168.1.10"],
    services: [
      ssh,
      snmp,
      tcp("Samba", 445),
      tcp("NFS", 2049),
      tcp("Web station", 5001, { before: { port: 5000, until: "2025-05-03T07:41:09.520Z" } }),
    ],
  },
  {
    name: "media",
    network: "Home",
    addresses: ["192.168.1.20"],
    services: [
      ssh,
      tcp("Jellyfin", 8920, { before: { port: 8096, until: "2025-06-21T20:05:44.903Z" } }),
    ],
  },
  {
    name: "printer",
    network: "Home",
    addresses: ["192.168.1.30"],
    services: [snmp, tcp("IPP", 631)],
  },
  {
    name: "home-assistant",
    network: "Home",
    addresses: ["192.168.1.40"],
    services: [
      ssh,
      tcp("Home Assistant", 8123),
      tcp("Mosquitto", 8883, { before: { port: 1883, until: "2025-07-08T16:30:00.250Z" } }),
    ],
  },
  { name: "desk", network: "Home", addresses: ["192.168.1.50"], services: [ssh] },
  {
    name: "hypervisor",
    network: "Lab",
    addresses: ["10.20.0.2", "10.20.1.2"],
    services: [ssh, snmp, tcp("Proxmox VE", 8006, { onAllAddresses: true })],
  },
  {
    name: "git",
    network: "Lab",
    addresses: ["10.20.0.10"],
    services: [
      ssh,
      tcp("Forgejo", 443, { before: { port: 3000, until: "2025-04-28T11:12:13.141Z" } }),
      tcp("PostgreSQL", 5432),
    ],
  },
  {
    name: "ci",
    network: "Lab",
    addresses: ["10.20.0.11"],
    services: [
      ssh,
      tcp("Docker", 2376, { before: { port: 2375, until: "2025-05-17T05:55:10.777Z" } }),
    ],
  },
  {
    name: "monitoring",
    network: "Lab",
    addresses: ["10.20.0.12"],
    services: [
      ssh,
      tcp("Prometheus", 9090),
      tcp("Grafana", 443, { before: { port: 3000, until: "2025-08-02T09:00:59.005Z" } }),
      tcp("Loki", 3100),
    ],
  },
  {
    name: "kubernetes",
    network: "Lab",
    addresses: ["10.20.0.20"],
    services: [ssh, tcp("Kubernetes API", 6443), tcp("etcd", 2379)],
  },
  {
    name: "switch",
    network: "Lab",
    addresses: ["10.20.0.254"],
    services: [snmp, tcp("Web management", 443)],
  },
];

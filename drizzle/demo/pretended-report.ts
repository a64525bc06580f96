import type { PretendedHost, PretendedNetwork } from "./pretended-network.ts";

/** The fields that every reported record has when it has just been discovered. */
const common = (id: string, network_id: string) => {
  const now = new Date().toISOString();
  const source = { type: "Discovery", metadata: [] };
  return { id, network_id, created_at: now, updated_at: now, source, tags: [] };
};

/** A subnet, as a stock daemon reports it. */
export const reportedSubnet = (
  id: string,
  network_id: string,
  { cidr, name }: Pick<PretendedNetwork, "cidr" | "name">,
) => ({ ...common(id, network_id), cidr, name, description: null, subnet_type: "Lan" });

/** A child of a host. Like a stock daemon, it leaves the ids of its parents to the service. */
const part = () => {
  const nil = "00000000-0000-0000-0000-000000000000";
  return { id: crypto.randomUUID(), network_id: nil, host_id: nil };
};

/** A host with its children, as a stock daemon reports it. */
export function reportedHost(
  id: string,
  network_id: string,
  { name, ip_address, mac_address, services }: PretendedHost,
) {
  const address = { ...part(), ip_address, mac_address, name: null, position: 0 };
  const open = services.map((service, position) => {
    const port = { ...part(), number: service.port, protocol: "Tcp" };
    const { host_id: _, ...binding } = part();
    return {
      port,
      service: {
        ...part(),
        name: service.name,
        service_definition: service.name,
        bindings: [{ ...binding, type: "Port", port_id: port.id, ip_address_id: address.id }],
        virtualization: null,
        position,
      },
    };
  });
  return {
    host: { ...common(id, network_id), name, hostname: name, description: null, hidden: false },
    ip_addresses: [address],
    ports: open.map(({ port }) => port),
    services: open.map(({ service }) => service),
    interfaces: [],
    subnets: [],
  };
}

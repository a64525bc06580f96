const hex = (value: number) => value.toString(16).padStart(2, "0");

const services = new Map([
  [22, "OpenSSH"],
  [443, "Nginx"],
]);

/**
 * A scan of a large network, as the body of an import.
 * @param scan a number up to 127; scans with different numbers have no host in common
 */
export const reportOf = (hosts: number, ports: readonly number[], scan = 0) => ({
  source: { name: "bench", version: null },
  hosts: Array.from({ length: hosts }, (_, host) => ({
    hostname: `host-${scan}-${host}.example.com`,
    addresses: [
      {
        ip_address: `10.${128 + scan}.${host >> 8}.${host & 255}`,
        mac_address: `06:00:00:${hex(scan)}:${hex(host >> 8)}:${hex(host & 255)}`,
      },
    ],
    ports: ports.map((number) => ({
      number,
      protocol: "Tcp",
      service: { name: services.get(number) ?? `Service ${number}` },
    })),
    scanned_ports: [{ protocol: "Tcp", from: 1, to: 1024 }],
  })),
});

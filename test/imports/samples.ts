import type { Samples } from "../helpers/operations.ts";

export const samples: Samples = {
  "POST /api/v1/networks/:id/imports": () => ({
    source: { name: "scanner", version: "1" },
    hosts: [
      {
        hostname: "after.example.com",
        operating_system: "Debian 12",
        addresses: [{ ip_address: "192.0.2.99", mac_address: "02:00:00:00:00:99" }],
        ports: [{ number: 22, protocol: "Tcp", service: { name: "Ssh", version: "OpenSSH 9.6" } }],
        scanned_ports: [{ protocol: "Tcp", from: 1, to: 1024 }],
      },
    ],
  }),
};

import type { DemoHost } from "./inventory.ts";

/** A demo credential: its masked type, and the secrets behind the masks. */
export interface DemoCredential {
  key: string;
  name: string;
  settings: { type: string; [field: string]: unknown };
  secrets: Record<string, string>;
  tags: string[];
  networks: DemoHost["network"][];
  hosts: { name: string; isLimitedToAddresses: boolean }[];
}

const masked = { mode: "Inline", value: "********" };

/** One credential of each type for SNMP and Docker. */
export const demoCredentials: DemoCredential[] = [
  {
    key: "credential switches",
    name: "Switches and printers",
    settings: { type: "SnmpV1", community: masked },
    secrets: { community: "demo-read-only" },
    tags: ["infrastructure"],
    networks: ["Home", "Lab"],
    hosts: [{ name: "printer", isLimitedToAddresses: false }],
  },
  {
    key: "credential router",
    name: "Router",
    settings: {
      type: "SnmpV2c",
      community: { mode: "FilePath", path: "/etc/inventory/community" },
    },
    secrets: {},
    tags: ["infrastructure"],
    networks: [],
    hosts: [{ name: "router", isLimitedToAddresses: true }],
  },
  {
    key: "credential nas",
    name: "NAS",
    settings: {
      type: "SnmpV3",
      security_name: "inventory",
      auth_protocol: "Sha256",
      auth_password: masked,
      priv_protocol: "Aes256",
      priv_password: masked,
      context_name: null,
    },
    secrets: { auth_password: "demo-auth-password", priv_password: "demo-priv-password" },
    tags: ["storage"],
    networks: ["Home"],
    hosts: [{ name: "nas", isLimitedToAddresses: false }],
  },
  {
    key: "credential docker proxy",
    name: "CI runners",
    settings: {
      type: "DockerProxy",
      port: 2376,
      path: null,
      ssl_cert: { mode: "FilePath", path: "/etc/inventory/docker/cert.pem" },
      ssl_chain: { mode: "FilePath", path: "/etc/inventory/docker/ca.pem" },
      ssl_key: { mode: "FilePath", path: "/etc/inventory/docker/key.pem" },
    },
    secrets: {},
    tags: ["containers"],
    networks: ["Lab"],
    hosts: [{ name: "ci", isLimitedToAddresses: false }],
  },
  {
    key: "credential docker socket",
    name: "Local Docker",
    settings: { type: "DockerSocket" },
    secrets: {},
    tags: ["containers"],
    networks: [],
    hosts: [],
  },
];

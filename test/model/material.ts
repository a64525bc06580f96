/**
 * The values of a walk's records. Each list is short, so that records collide and contradict each
 * other.
 */

/** Addresses in two blocks, and in subnets of those blocks. */
export const addresses = [
  ...Array.from({ length: 24 }, (_, last) => `10.0.0.${last + 1}`),
  ...Array.from({ length: 8 }, (_, last) => `10.0.1.${last + 1}`),
] as const;

export const blocks = [
  "10.0.0.0/24",
  "10.0.0.0/23",
  "10.0.0.0/28",
  "10.0.0.16/28",
  "10.0.1.0/24",
  "10.0.0.0/16",
  "192.0.2.0/24",
] as const;

export const macs = [
  "02:00:00:00:00:01",
  "02:00:00:00:00:02",
  "02:00:00:00:00:03",
  "02:00:00:00:00:04",
  "02:00:00:00:00:05",
  "02:00:00:00:00:06",
] as const;

/** No host, service or subnet name contains another name, so that each search is unambiguous. */
export const hostNames = ["alder", "birch", "cedar", "elder"] as const;
export const hostnames = ["alder.example", "birch.example", "cedar.example"] as const;
export const serviceNames = ["nginx", "postgres", "sshd", "bind"] as const;
export const subnetNames = ["office", "lab", "guests"] as const;
export const addressNames = ["eth0", "wlan0"] as const;
export const addressStatuses = ["Active", "Reserved", "Deprecated"] as const;
export const addressRoles = [null, "Gateway", "Vip"] as const;
export const portNumbers = [22, 53, 80, 443, 5432] as const;
export const protocols = ["Tcp", "Udp"] as const;
export const vlans = [1, 20, 30] as const;
export const systems = ["Debian 12", "Debian 13", "IOS 15.2"] as const;
/** Few enough that live records contend for them, and take over those of deleted records. */
export const externalIds = ["asset-1", "asset-2", "asset-3"] as const;
export const metadata = [{}, { rack: "A1" }, { rack: "A2" }, { owner: "it", rack: "A1" }] as const;
export const versions = ["1.24.0", "1.26.2", "9.2p1"] as const;

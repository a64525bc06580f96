import type {
  adminStatuses,
  bindingTypes,
  hostDetails,
  operStatuses,
  subnetTypes,
  transportProtocols,
} from "../database/tables/index.ts";
import type { Issue } from "../errors/errors.ts";

/**
 * The most of everything in one report. A report that has more is refused whole; a host that has more
 * fails alone.
 */
export const reportLimits = {
  hosts: 5_000,
  subnets: 1_000,
  /** Addresses, ports, interfaces, services and bindings of all hosts together. */
  rows: 100_000,
  addressesPerHost: 256,
  portsPerHost: 1_000,
  interfacesPerHost: 1_000,
  servicesPerHost: 1_000,
  bindingsPerHost: 2_000,
  /** Ranges of scanned ports of one host. */
  scannedRanges: 4_096,
} as const;

/**
 * A report of what was seen on one network, by natural keys: what imports and daemons have in common
 * (API contract, section 10). Every text is one that Postgres can hold, trimmed, and not empty.
 */
export interface Report {
  /** The program that looked. */
  source: { name: string; version: string | null } | null;
  /** When it looked, RFC 3339 in UTC; null is now. It may not lie in the future. */
  observed_at: string | null;
  subnets: readonly ReportedSubnet[];
  /**
   * Hosts that are valid, each once: whoever makes the report unites what a daemon says of one host
   * in several places.
   */
  hosts: readonly ReportedHost[];
  /** Hosts that are not valid. They fail, and stop no other. */
  failed: readonly FailedHost[];
}

export interface FailedHost {
  index: number;
  issues: readonly Issue[];
}

export interface ReportedSubnet {
  /** A block of addresses, not necessarily canonical. */
  cidr: string;
  /** 1 to 100 characters. */
  name: string;
  description: string | null;
  subnet_type: (typeof subnetTypes)[number];
}

/** The virtual machine that a host is. */
interface VirtualMachine {
  type: "Proxmox";
  details: { vm_name: string | null; vm_id: string | null; service_id: null };
}

/** The container in which a service runs. Ids that a reporter made up are left out. */
interface Container {
  type: "Docker";
  details: {
    container_name: string | null;
    container_id: string | null;
    compose_project: string | null;
    service_id: null;
  };
}

/**
 * What a host says of itself; null where the report says nothing. Lengths are those of `HostInput`. Its
 * `name` is what the reporter calls it: what the host says of itself names it before that.
 */
export type HostDetails = Record<
  "name" | Exclude<(typeof hostDetails)[number], "virtualization">,
  string | null
> & { virtualization: VirtualMachine | null };

/** A host. Its addresses and its ports come once each; its services and their bindings may repeat. */
export interface ReportedHost extends Partial<HostDetails> {
  /** Its place in what was sent. */
  index: number;
  /**
   * The id of a host of this network, if the reporter knows it. An id that no host of the network has,
   * such as one of a daemon's making, says nothing.
   */
  id: string | null;
  /** Whether the operating system was guessed, as from a fingerprint, and not said by the host. */
  is_operating_system_guessed: boolean;
  addresses: readonly ReportedAddress[];
  /** Its open ports, also those that bindings name. */
  ports: readonly ReportedPort[];
  /** Its interfaces, each number once; null where the report says nothing of them. */
  interfaces: readonly ReportedInterface[] | null;
  /** Whether it has no others: those that discovery made then end. Null with the interfaces. */
  are_interfaces_complete: boolean | null;
  services: readonly ReportedService[];
  /** Of which ports the reporter learned whether they are open. One array may be shared by many hosts, and is then sent once. */
  scanned_ports: readonly ScannedPorts[];
  /** What of it was sent and cannot be taken. */
  issues?: readonly Issue[];
}

export interface ReportedAddress {
  ip_address: string;
  /** As `AA:BB:CC:DD:EE:FF`. */
  mac_address: string | null;
  /** The link on which the reporter reached it, such as `eth0`, where it says so. */
  zone?: string | null;
  /** What its interface is called, 1 to 100 characters. */
  name: string | null;
  /** Where issues say that it stands, such as `hosts[3].addresses[0].ip_address`. */
  path: string;
}

export interface ReportedPort {
  /** 1 to 65535. */
  number: number;
  protocol: (typeof transportProtocols)[number];
}

/** An interface of a host; null where the report says nothing. */
export interface ReportedInterface {
  /** 1 to 2147483647. */
  if_index: number;
  /** 1 to 255 characters, as the description. */
  name: string | null;
  description: string | null;
  type: number | null;
  speed_bps: number | null;
  /** As `AA:BB:CC:DD:EE:FF`. */
  mac_address: string | null;
  admin_status: (typeof adminStatuses)[number] | null;
  oper_status: (typeof operStatuses)[number] | null;
  /** Addresses on it; of others than the host's nothing is known. */
  ip_addresses: readonly string[];
}

export interface ReportedService {
  /** 1 to 100 characters. */
  name: string;
  /** What it is, 1 to 255 characters. It tells services of a host apart, with their containers. */
  definition: string;
  /** The product that runs, and its version, 1 to 255 characters. */
  version: string | null;
  /** Whether it is only what its port is known for. */
  is_guess: boolean;
  /**
   * Whether it is one of those that the report names port by port, without saying which are one: its
   * one port then tells it apart from others with its definition.
   */
  is_of_port: boolean;
  virtualization: Container | null;
  /** The place in the host's services of the one that runs its container; null where it is not told. */
  runner: number | null;
  bindings: readonly ReportedBinding[];
}

/** What a service is bound to: a port of the host, on one address or (null) on all, or an address. */
export type ReportedBinding =
  | { type: PortBinding; port: ReportedPort; ip_address: string | null; path: string }
  | { type: AddressBinding; ip_address: string; path: string };
type PortBinding = Extract<(typeof bindingTypes)[number], "Port">;
type AddressBinding = Extract<(typeof bindingTypes)[number], "IPAddress">;

/** Ports from one number to another, both included. */
export interface ScannedPorts {
  protocol: ReportedPort["protocol"];
  from: number;
  to: number;
}

/** The definitions of services that stand for ports which no service claims: those of `app.is_unclaimed`. */
export const unclaimedDefinitions = ["Unclaimed Open Ports", "Open Ports"] as const;

/** What became of a host of a report. */
export const outcomes = ["created", "changed", "unchanged", "failed"] as const;

/** By what a host was found, in this order. */
export const matches = ["id", "address", "mac"] as const;

/** What became of one host. */
export interface HostResult {
  index: number;
  outcome: (typeof outcomes)[number];
  /** Null of one that failed, and in a dry run of one that would be created. */
  host_id: string | null;
  matched_by: (typeof matches)[number] | null;
  /** Why it failed, or what of it was not taken over. */
  issues: readonly Issue[];
}

/** What became of a report. */
export interface IngestResult {
  counts: Record<(typeof outcomes)[number], number>;
  /** In the order of their indexes. */
  hosts: readonly HostResult[];
  /**
   * The subnets of the report, in its order, and those that are stored. Null of a loopback block, which is not
   * stored, and in a dry run if new.
   */
  subnets: readonly { cidr: string; subnet_id: string | null }[];
}

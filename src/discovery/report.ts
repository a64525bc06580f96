import {
  type adminStatuses,
  type bindingTypes,
  type chassisSubtypes,
  type hostDetails,
  type interfaceParts,
  maximumNeighbors,
  type neighborPortSubtypes,
  type operStatuses,
  type subnetTypes,
  type transportProtocols,
} from "../database/tables/index.ts";
import type { Issue } from "../errors/errors.ts";

/**
 * The limits of one report. A report that exceeds them is rejected as a whole. A host that exceeds
 * them fails without affecting other hosts.
 */
export const reportLimits = {
  hosts: 5_000,
  subnets: 1_000,
  /** Addresses, ports, interfaces, neighbors, services and bindings across all hosts. */
  rows: 100_000,
  addressesPerHost: 256,
  portsPerHost: 1_000,
  interfacesPerHost: 1_000,
  neighborsPerInterface: maximumNeighbors,
  /** MAC addresses in the forwarding table of an interface. */
  learnedMacsPerInterface: 4_096,
  servicesPerHost: 1_000,
  bindingsPerHost: 2_000,
  /** Ranges of scanned ports per host. */
  scannedRanges: 4_096,
} as const;

/**
 * A report of the hosts observed on one network, identified by natural keys: the common format of
 * imports and of daemons' reports (API contract, section 10). Every string is trimmed, not empty,
 * and storable in Postgres.
 */
export interface Report {
  /** The program that ran the scan. */
  source: { name: string; version: string | null } | null;
  /** The time of the scan, RFC 3339 in UTC; null means now. It must not be in the future. */
  observed_at: string | null;
  subnets: readonly ReportedSubnet[];
  /**
   * The valid hosts, each once: the converter merges several entries that a daemon sent for one
   * host.
   */
  hosts: readonly ReportedHost[];
  /** The invalid hosts. They fail without affecting the valid hosts. */
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

/** The virtual machine of a host. */
interface VirtualMachine {
  type: "Proxmox";
  details: { vm_name: string | null; vm_id: string | null; service_id: null };
}

/** The container of a service. Ids that the reporter made up are omitted. */
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
 * The details of a host; null if not reported. Maximum lengths are those of `HostInput`. `name` is
 * the reporter's name for the host; a name that the host reports itself takes precedence.
 */
export type HostDetails = Record<
  "name" | Exclude<(typeof hostDetails)[number], "virtualization">,
  string | null
> & { virtualization: VirtualMachine | null };

/** A host. Its addresses and ports are unique; its services and their bindings may repeat. */
export interface ReportedHost extends Partial<HostDetails> {
  /** Its position in the sent report. */
  index: number;
  /**
   * The id of a host on this network, if the reporter knows it. Ignored if no host of the network
   * has this id, for example because a daemon made it up.
   */
  id: string | null;
  /** The data that a caller keeps with the host: only an import contains it. */
  own?: ReportedOwnData | null;
  /**
   * True if the operating system was guessed, for example from a fingerprint, rather than reported
   * by the host.
   */
  is_operating_system_guessed: boolean;
  addresses: readonly ReportedAddress[];
  /** Its open ports, including those of bindings. */
  ports: readonly ReportedPort[];
  /** Its interfaces, with unique numbers; null if they were not reported. */
  interfaces: readonly ReportedInterface[] | null;
  /**
   * True if the list is complete: stored interfaces that discovery created and that are not in the
   * list are then ended. Null if `interfaces` is null.
   */
  are_interfaces_complete: boolean | null;
  services: readonly ReportedService[];
  /**
   * The ports that the reporter knows to be open or closed. Many hosts can share one array, which
   * is then sent to the database only once.
   */
  scanned_ports: readonly ScannedPorts[];
  /** The issues for details that were dropped. */
  issues?: readonly Issue[];
}

/** Data that a caller keeps with a host. Null values do not change. */
export interface ReportedOwnData {
  external_id: string | null;
  metadata: Readonly<Record<string, string>> | null;
  /** The names of all its tags. */
  tags: readonly string[] | null;
}

export interface ReportedAddress {
  ip_address: string;
  /** As `AA:BB:CC:DD:EE:FF`. */
  mac_address: string | null;
  /** The link over which the reporter contacted it, such as `eth0`, if reported. */
  zone?: string | null;
  /** The name of its interface, 1 to 100 characters. */
  name: string | null;
  /** Its path in issues, such as `hosts[3].addresses[0].ip_address`. */
  path: string;
}

export interface ReportedPort {
  /** 1 to 65535. */
  number: number;
  protocol: (typeof transportProtocols)[number];
}

/** An interface of a host. Fields that were not reported are null. */
export interface ReportedInterface {
  /** 1 to 2147483647. */
  if_index: number;
  /** 1 to 255 characters, like the description. */
  name: string | null;
  description: string | null;
  type: number | null;
  speed_bps: number | null;
  /** As `AA:BB:CC:DD:EE:FF`. */
  mac_address: string | null;
  admin_status: (typeof adminStatuses)[number] | null;
  oper_status: (typeof operStatuses)[number] | null;
  /** `ifAlias`: 1 to 255 characters. */
  alias: string | null;
  /** 1 to 4094, like the sorted members of `tagged_vlans`. */
  native_vlan: number | null;
  tagged_vlans: readonly number[] | null;
  /** Its addresses. Addresses that the host does not have are ignored. */
  ip_addresses: readonly string[];
  /** Its neighbors by LLDP and CDP. If several have the same key, the first one is used. */
  neighbors: readonly ReportedNeighbor[];
  /** The MAC addresses in its forwarding table. They may repeat. */
  learned_macs: readonly string[];
  /** The parts that the report contains completely. */
  complete: readonly InterfacePart[];
}

export type InterfacePart = (typeof interfaceParts)[number];

/** The protocols by which devices announce themselves to their neighbors. */
export const heardProtocols = ["Lldp", "Cdp"] as const;

/** A neighbor of an interface, as it announces itself. Every string has 1 to 255 characters. */
export interface ReportedNeighbor {
  protocol: (typeof heardProtocols)[number];
  chassis_id: { subtype: (typeof chassisSubtypes)[number]; value: string };
  port_id: { subtype: (typeof neighborPortSubtypes)[number]; value: string } | null;
  system_name: string | null;
  system_description: string | null;
  port_description: string | null;
  /** At most 8. */
  management_addresses: readonly string[];
}

export interface ReportedService {
  /** 1 to 100 characters. */
  name: string;
  /** Its kind, 1 to 255 characters. With the container, it distinguishes the services of a host. */
  definition: string;
  /** The running product and its version, 1 to 255 characters. */
  version: string | null;
  /** True if the service is inferred only from its well-known port. */
  is_guess: boolean;
  /**
   * True if the report lists services by port, without stating which of them are the same service.
   * In that case, a service has a single port, which distinguishes it from other services with the
   * same definition.
   */
  is_of_port: boolean;
  virtualization: Container | null;
  /**
   * The position, in the host's services, of the service that runs its container; null if unknown.
   */
  runner: number | null;
  bindings: readonly ReportedBinding[];
}

/**
 * A service's binding: to an address, or to a port of the host on one address or (null) all of
 * them.
 */
export type ReportedBinding =
  | { type: PortBinding; port: ReportedPort; ip_address: string | null; path: string }
  | { type: AddressBinding; ip_address: string; path: string };
type PortBinding = Extract<(typeof bindingTypes)[number], "Port">;
type AddressBinding = Extract<(typeof bindingTypes)[number], "IPAddress">;

/** A range of ports, including both its first and its last port. */
export interface ScannedPorts {
  protocol: ReportedPort["protocol"];
  from: number;
  to: number;
}

/** The definitions of the placeholders for ports that no service claims, as in `app.is_unclaimed`. */
export const unclaimedDefinitions = ["Unclaimed Open Ports", "Open Ports"] as const;

/** The possible outcomes for a host in a report. */
export const outcomes = ["created", "changed", "unchanged", "failed"] as const;

/** The properties by which a host is matched, in this order. */
export const matches = ["id", "external_id", "address", "mac"] as const;

/** The outcome for one host. */
export interface HostResult {
  index: number;
  outcome: (typeof outcomes)[number];
  /** Null for a failed host and, in a dry run, for a host that would be created. */
  host_id: string | null;
  matched_by: (typeof matches)[number] | null;
  /** The reasons for the failure, or the details that were not stored. */
  issues: readonly Issue[];
}

/** The outcome of ingesting a report. */
export interface IngestResult {
  counts: Record<(typeof outcomes)[number], number>;
  /** Ordered by index. */
  hosts: readonly HostResult[];
  /**
   * The subnets in the order of the report, each with the id of the stored subnet. The id is null
   * for a loopback block, which is not stored, and, in a dry run, for a new subnet.
   */
  subnets: readonly { cidr: string; subnet_id: string | null }[];
}

import * as z from "zod";
import {
  adminStatuses,
  chassisSubtypes,
  maxSessionError,
  neighborPortSubtypes,
  operStatuses,
  sessionPhases,
  subnetTypes,
} from "../../../database/tables/index.ts";
import { cleanText, deviceText, optionalDeviceText } from "../../../discovery/details.ts";
import { type ReportedInterface, reportLimits } from "../../../discovery/report.ts";
import { announcedId } from "../../../http/input/neighbor.ts";
import { cidr, ipAddress, macAddress, zonedAddress } from "../../../http/input/network.ts";
import { orNone } from "../../../http/input/or-none.ts";
import type { IssueList } from "../../../http/validation/issues.ts";

/**
 * The parts of the daemon protocol that are used. A daemon is untrusted: unknown fields are dropped, and an
 * invalid detail does not invalidate its entity (`takeDetails`). A field is optional if an entity is
 * meaningful without it.
 */

/** Optional text with a maximum length in characters; null if missing. */
const text = optionalDeviceText;

/** The error text of a scan: cleaned and truncated rather than refused. */
const note = (maximum: number) =>
  z
    .string()
    .nullish()
    .transform((value) => cleanText(value ?? "", maximum) || null);

const id = z.guid().toLowerCase();

/** Daemons send the nil UUID in place of a missing id. */
export const nilId = "00000000-0000-0000-0000-000000000000";

/** An entity that must be confirmed under the daemon's id. */
export interface PendingEntity {
  id: string;
  /** The entity as the daemon sent it: the confirmation repeats it, so that the daemon can parse it. */
  sent: unknown;
}

/**
 * Maximum number of entities that are ingested from one poll. The daemon reports unconfirmed
 * entities again, so the rest follow in the next poll.
 */
export const maximumEntities = {
  hosts: 1000,
  subnets: 1000,
  /**
   * Number of host rows after which no further host is ingested. A single host has fewer rows than
   * a report can have.
   */
  rows: 10_000,
  /** Number of neighbors of one host that are ingested. */
  neighbors: 256,
  /** Number of parsed bytes of hosts after which no further host is ingested. */
  bytes: 2 * 1024 * 1024,
} as const;

const progressSchema = z.object({
  session_id: id,
  daemon_id: id.nullish(),
  phase: z.enum(sessionPhases),
  progress: z.number().min(0).max(100).catch(0).transform(Math.floor),
  error: note(maxSessionError),
  hosts_discovered: z.int().min(0).max(2_147_483_647).nullish().catch(null),
  estimated_remaining_secs: z.int().min(0).max(2_147_483_647).nullish().catch(null),
});

/** The progress that a daemon reports for a scan. */
export type Progress = z.output<typeof progressSchema>;

/**
 * Fields of every entity: its id within the report, and the network that it claims to be in. An
 * invalid claim is treated as a claim to be in another network.
 */
const ofNetwork = { id, network_id: z.unknown().optional() };

/** A field that may be null or omitted. */
const orNull = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? null);

/** A subnet in a report. */
export const subnetSchema = z.object({
  ...ofNetwork,
  cidr,
  name: text(100),
  description: text(500),
  subnet_type: z
    .enum(subnetTypes)
    .nullish()
    .transform((type) => type ?? "Unknown"),
});

export const bindingSchema = z.union([
  z.object({ type: z.literal("Port"), port_id: id, ip_address_id: id.nullish() }),
  z.object({ type: z.literal("IPAddress"), ip_address_id: id }),
]);

/** The virtual machine or container that a host or service runs in. */
const virtualizationOf = <Type extends string, Details extends z.ZodType>(
  type: Type,
  details: Details,
) => orNull(z.object({ type: z.literal(type), details }));

/** The confidence of a recognized service. `Low`: only the port number matched. */
const matchSchema = z
  .object({ details: z.object({ confidence: z.string() }) })
  .nullish()
  .transform((source) => source?.details.confidence ?? null);

/** A list without a maximum: members beyond a limit are dropped in `host-parser.ts`. */
const members = z
  .array(z.unknown())
  .nullish()
  .transform((list) => list ?? []);

/** A list whose members are validated one by one in `host-parser.ts`. */
const list = (maximum: number) => z.array(z.unknown()).max(maximum).default([]);

/** A boolean. A missing or invalid value becomes false. */
const isTrue = z.boolean().default(false).catch(false);

/** A host in a report. The members of its lists are validated one by one in `host-parser.ts`. */
export const hostSchema = z.object({
  host: z.object({
    ...ofNetwork,
    name: text(100),
    hostname: text(255),
    description: text(500),
    sys_name: text(255),
    sys_descr: text(255),
    sys_object_id: text(255),
    sys_location: text(255),
    sys_contact: text(255),
    management_url: text(2048),
    chassis_id: text(255),
    manufacturer: text(255),
    model: text(255),
    serial_number: text(255),
    virtualization: virtualizationOf("Proxmox", z.object({ vm_name: text(255), vm_id: text(255) })),
  }),
  ip_addresses: list(reportLimits.addressesPerHost),
  ports: list(reportLimits.portsPerHost),
  services: list(reportLimits.servicesPerHost),
  /**
   * Unbounded here: interfaces beyond the limit are dropped, and the table is then treated as
   * incomplete.
   */
  interfaces: z.array(z.unknown()).default([]),
  interfaces_complete: z.boolean().default(true),
  /** If a part is incomplete, the records that are missing from it do not end. */
  interface_data_complete: z
    .object({ lldp: isTrue, cdp: isTrue, fdb: isTrue })
    .nullish()
    .catch(null),
  /** Subnets that only this host is attached to, such as those of its containers. */
  subnets: z.array(z.unknown()).default([]),
});

export const addressSchema = z.object({
  id,
  subnet_id: id.nullish(),
  ip_address: zonedAddress,
  mac_address: orNone(macAddress),
  name: text(100),
});

export const portSchema = z.object({
  id,
  number: z.int().min(1).max(65_535),
  protocol: z.enum(["Tcp", "Udp"]),
});

const number = (minimum: number, maximum: number) => orNull(z.int().min(minimum).max(maximum));

const idOf = <const Subtype extends string>(subtypes: readonly Subtype[]) =>
  orNull(announcedId(z.object({ subtype: z.enum(subtypes), value: deviceText(255) })));

/**
 * A device that an interface received announcements from, by LLDP, CDP or both. Daemons up to
 * 0.17.14 send these fields as fields of the interface itself.
 */
const candidateFields = {
  lldp_chassis_id: idOf(chassisSubtypes),
  lldp_port_id: idOf(neighborPortSubtypes),
  lldp_sys_name: text(255),
  lldp_port_desc: text(255),
  lldp_sys_desc: text(255),
  lldp_mgmt_addr: orNone(ipAddress),
  cdp_device_id: text(255),
  cdp_port_id: text(255),
  cdp_platform: text(255),
  cdp_address: orNone(ipAddress),
};
export const candidateSchema = z.object(candidateFields);

/** A MAC address in a forwarding table. */
export const learnedMacSchema = macAddress;

/**
 * An interface in a report, as in SNMP's ifTable. The members of its lists are validated one by
 * one.
 */
export const interfaceSchema = z.object({
  if_index: z.int().min(1).max(2_147_483_647),
  if_descr: text(255),
  if_name: text(255),
  if_alias: text(255),
  if_type: number(1, 2_147_483_647),
  speed_bps: number(0, Number.MAX_SAFE_INTEGER),
  mac_address: orNone(macAddress),
  admin_status: orNone(z.enum(adminStatuses)),
  oper_status: orNone(z.enum(operStatuses)),
  ip_address_id: id.nullish(),
  ...candidateFields,
  neighbor_candidates: members,
  fdb_macs: members,
});

export const serviceSchema = z.object({
  id: id.nullish(),
  name: text(100),
  service_definition: text(255),
  source: matchSchema,
  virtualization: virtualizationOf(
    "Docker",
    z.object({
      container_name: text(255),
      container_id: text(255),
      compose_project: text(255),
      /** The id, within the report, of the service that runs the container. */
      service_id: id.nullish(),
    }),
  ),
  bindings: list(reportLimits.bindingsPerHost),
});

/** The fields that identify a refused host. */
export const refusedHostSchema = z.object({
  host: z.object(ofNetwork),
  ip_addresses: z.array(z.unknown()).catch([]),
});

/** An address of a refused host. */
export const refusedAddressSchema = z.object({ ip_address: zonedAddress });

/** The field that identifies a refused subnet. */
export const refusedSubnetSchema = z.object({ id });

/** A valid host in a report, with its parts. */
export type WireHost = Pick<z.output<typeof hostSchema>, "host" | "subnets"> & {
  ip_addresses: z.output<typeof addressSchema>[];
  ports: z.output<typeof portSchema>[];
  services: WireService[];
  interfaces: WireInterface[];
  interfaces_complete: boolean;
  /** True if an address, a port, a service or a binding was invalid. */
  lacksParts: boolean;
  /** The invalid details, by their path in the host. */
  issues: IssueList;
};
export type WireService = Omit<z.output<typeof serviceSchema>, "bindings"> & {
  /** Its position in the list that the daemon sent. */
  position: number;
  /** Each with its position in the list that the daemon sent. */
  bindings: { position: number; binding: z.output<typeof bindingSchema> }[];
};
export type WireInterface = z.output<typeof interfaceSchema> &
  Pick<ReportedInterface, "neighbors" | "learned_macs" | "complete">;
export type WireSubnet = z.output<typeof subnetSchema>;

/** The response to `poll`. Its entities are parsed and validated one by one in `reported-entities.ts`. */
export const pollSchema = z.object({
  success: z.literal(true),
  data: z.object({
    // Null means that the daemon is not running a scan; an invalid value is ignored.
    progress: progressSchema.nullish().catch(undefined),
    entities: z
      .object({
        hosts: z.array(z.unknown()).nullish(),
        subnets: z.array(z.unknown()).nullish(),
      })
      .nullish(),
  }),
});

import * as z from "zod";
import {
  adminStatuses,
  maxSessionError,
  operStatuses,
  sessionPhases,
  subnetTypes,
} from "../../../database/tables/index.ts";
import { cleanText, optionalDeviceText } from "../../../discovery/details.ts";
import { reportLimits } from "../../../discovery/report.ts";
import { cidr, macAddress, zonedAddress } from "../../../http/input/network.ts";
import { orNone } from "../../../http/input/or-none.ts";
import type { IssueList } from "../../../http/validation/issues.ts";

/**
 * What daemons send, as far as it is used. A daemon is untrusted: unknown fields are dropped, and a detail
 * that cannot be taken costs only itself (`takeDetails`). So the schemas say what is valid, and every field
 * without which an entity still means something may be left out.
 */

/** A text of at most so many characters; null where there is none. */
const text = optionalDeviceText;

/** A text of a scan, which is mended in place: it is of no entity. */
const note = (maximum: number) =>
  z
    .string()
    .nullish()
    .transform((value) => cleanText(value ?? "", maximum) || null);

const id = z.guid().toLowerCase();

/** What a daemon sends in place of an id that it lacks. */
export const nilId = "00000000-0000-0000-0000-000000000000";

/** An entity as the daemon sent it, and the id by which it is confirmed. */
export interface PendingEntity {
  id: string;
  /** As it came, since the daemon can read what it has written. */
  sent: unknown;
}

/**
 * The most entities that one poll takes over. A daemon sends what is not confirmed again, so the rest
 * comes with the next poll.
 */
export const maximumEntities = {
  hosts: 1000,
  subnets: 1000,
  /** Rows of hosts after which no further host is taken. One has fewer than all that a report may have. */
  rows: 10_000,
  /** Bytes of hosts, as far as they are read, after which no further one is taken. */
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

/** How far a daemon is with a scan. */
export type Progress = z.output<typeof progressSchema>;

/**
 * What every entity holds: its id within the report, and the network that it claims. A claim that cannot be read
 * is none of the daemon's own network.
 */
const ofNetwork = { id, network_id: z.unknown().optional() };

/** A field that may be null or left out. */
const orNull = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? null);

/** A subnet of a report. */
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

/** What a host or a service runs in. */
const virtualizationOf = <Type extends string, Details extends z.ZodType>(
  type: Type,
  details: Details,
) => orNull(z.object({ type: z.literal(type), details }));

/** How a daemon recognized a service: `Low` is no more than the number of an open port. */
const matchSchema = z
  .object({ details: z.object({ confidence: z.string() }) })
  .nullish()
  .transform((source) => source?.details.confidence ?? null);

/** A list whose members are judged one by one: see `sent-host.ts`. */
const list = (maximum: number) => z.array(z.unknown()).max(maximum).default([]);

/** A host of a report. What belongs to it is judged by itself. */
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
  /** More than a host has leave the host as it is. Its table is then not complete. */
  interfaces: z.array(z.unknown()).default([]),
  interfaces_complete: z.boolean().default(true),
  /** Subnets that only this host knows, such as those of its containers. */
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

/** An interface of a report, as SNMP's ifTable has it. */
export const interfaceSchema = z.object({
  if_index: z.int().min(1).max(2_147_483_647),
  if_descr: text(255),
  if_name: text(255),
  if_type: number(1, 2_147_483_647),
  speed_bps: number(0, Number.MAX_SAFE_INTEGER),
  mac_address: orNone(macAddress),
  admin_status: orNone(z.enum(adminStatuses)),
  oper_status: orNone(z.enum(operStatuses)),
  ip_address_id: id.nullish(),
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
      /** Of the service that runs the container. Like every id it is of the daemon's making. */
      service_id: id.nullish(),
    }),
  ),
  bindings: list(reportLimits.bindingsPerHost),
});

/** What is read of a host that is not believed. */
export const refusedHostSchema = z.object({
  host: z.object(ofNetwork),
  ip_addresses: z.array(z.unknown()).catch([]),
});

/** What is read of an address of a host that is not believed. */
export const refusedAddressSchema = z.object({ ip_address: zonedAddress });

/** What is read of a subnet that is not believed. */
export const refusedSubnetSchema = z.object({ id });

/** A host of a report, with all that belongs to it. */
export type WireHost = Pick<z.output<typeof hostSchema>, "host" | "subnets"> & {
  ip_addresses: z.output<typeof addressSchema>[];
  ports: z.output<typeof portSchema>[];
  services: WireService[];
  interfaces: z.output<typeof interfaceSchema>[];
  interfaces_complete: boolean;
  /** Whether an address, a port, a service or a binding of it could not be taken. */
  lacksParts: boolean;
  /** What of it could not be taken, by its path in the host. */
  issues: IssueList;
};
export type WireService = Omit<z.output<typeof serviceSchema>, "bindings"> & {
  /** Its place in what was sent, as that of its bindings. */
  place: number;
  /** Each with its place in what was sent. */
  bindings: { place: number; binding: z.output<typeof bindingSchema> }[];
};
export type WireSubnet = z.output<typeof subnetSchema>;

/** The response to `poll`. Entities are parsed and judged one by one: see `reported-entities.ts`. */
export const pollSchema = z.object({
  success: z.literal(true),
  data: z.object({
    // Null says that the daemon runs no scan; what is of a wrong shape does not.
    progress: progressSchema.nullish().catch(undefined),
    entities: z
      .object({
        hosts: z.array(z.unknown()).nullish(),
        subnets: z.array(z.unknown()).nullish(),
      })
      .nullish(),
  }),
});

/** Any response of success. */
export const successSchema = z.object({ success: z.literal(true) });

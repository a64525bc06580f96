import * as z from "zod";
import {
  adminStatuses,
  chassisSubtypes,
  interfaceParts,
  maximumExternalId,
  neighborPortSubtypes,
  operStatuses,
  transportProtocols,
} from "../database/tables/index.ts";
import {
  type Details,
  deviceText,
  exact,
  optionalDeviceText,
  takeDetails,
} from "../discovery/details.ts";
import {
  heardProtocols,
  type InterfacePart,
  type ReportedNeighbor,
  reportLimits,
} from "../discovery/report.ts";
import { eachOnce } from "../http/input/each-once.ts";
import { idExceptNil } from "../http/input/id.ts";
import { integer, largeInteger } from "../http/input/integer.ts";
import { announcedId, managementAddresses } from "../http/input/neighbor.ts";
import {
  canonicalAddress,
  macAddress,
  unzoned,
  zonedAddress,
  zoneOf,
} from "../http/input/network.ts";
import { orNone } from "../http/input/or-none.ts";
import { externalId, metadataSchema } from "../http/input/own-data.ts";
import { name, optionalText } from "../http/input/text.ts";
import { timestamp } from "../http/input/timestamp.ts";
import { vlanFields } from "../http/input/vlans.ts";

/** Maximum number of tags of a host in an import. */
const maximumTags = 100;

const atMost = (maximum: number) => ({ error: `must have at most ${maximum} members` });

const importAddress = z
  .strictObject({ ip_address: zonedAddress, mac_address: orNone(macAddress) })
  .meta({ id: "ImportAddress", description: "An address of the host." });

const serviceFields = {
  name: deviceText(100),
  definition: optionalDeviceText(255).meta({
    description: "The product, such as Nginx; by default the name.",
  }),
  version: optionalDeviceText(255),
};

const importService = z
  .strictObject(serviceFields)
  .meta({ id: "ImportService", description: "The service that listens on the port." });

/** A service from a report in another format, with additional fields. */
const readService = z.strictObject({
  ...serviceFields,
  is_guess: z.boolean().optional(),
  is_of_port: z.boolean().optional(),
});
type ReadService = z.ZodType<z.output<typeof readService>>;

const protocol = z.enum(transportProtocols);
const portNumber = integer(1, 65_535);

const portOf = (service: ReadService) =>
  z.strictObject({ number: portNumber, protocol, service: service.nullable().default(null) });
type ReadPort = z.ZodType<z.output<ReturnType<typeof portOf>>>;

const importPort = portOf(importService).meta({
  id: "ImportPort",
  description: "An open port of the host.",
});

const idOf = <const Subtype extends string>(name: string, subtypes: readonly Subtype[]) =>
  announcedId(z.strictObject({ subtype: z.enum(subtypes), value: deviceText(255) })).meta({
    id: name,
  });

const importNeighbor = z
  .strictObject({
    protocol: z.enum(heardProtocols),
    chassis_id: idOf("ImportChassisId", chassisSubtypes),
    port_id: idOf("ImportNeighborPortId", neighborPortSubtypes).nullable().default(null),
    system_name: optionalDeviceText(255),
    system_description: optionalDeviceText(255),
    port_description: optionalDeviceText(255),
    management_addresses: managementAddresses.default([]),
  })
  .meta({ id: "ImportNeighbor", description: "A device that the host hears of on the interface." });

const keyOfId = (id: { subtype: string; value: string } | null) =>
  id && [id.subtype, id.subtype === "NetworkAddress" ? canonicalAddress(id.value) : id.value];

const importInterface = z
  .strictObject({
    if_index: integer(1),
    name: optionalDeviceText(255),
    description: optionalDeviceText(255),
    type: orNone(integer(1)),
    speed_bps: orNone(largeInteger),
    mac_address: orNone(macAddress),
    admin_status: orNone(z.enum(adminStatuses)),
    oper_status: orNone(z.enum(operStatuses)),
    alias: optionalDeviceText(255),
    ...vlanFields,
    ip_addresses: z
      .array(zonedAddress)
      .max(reportLimits.addressesPerHost, atMost(reportLimits.addressesPerHost))
      .default([])
      .meta({ description: "The host's `addresses` on this interface." }),
    neighbors: z
      .array(importNeighbor)
      .max(reportLimits.neighborsPerInterface, atMost(reportLimits.neighborsPerInterface))
      .check(
        eachOnce<ReportedNeighbor>({
          of: ({ protocol, chassis_id, port_id }) =>
            JSON.stringify([protocol, keyOfId(chassis_id), keyOfId(port_id)]),
          message: "repeats a neighbor of this interface: send each neighbor once",
        }),
      )
      .default([])
      .meta({ description: "Its neighbors by LLDP and CDP." }),
    learned_macs: z
      .array(macAddress)
      .max(reportLimits.learnedMacsPerInterface, atMost(reportLimits.learnedMacsPerInterface))
      .default([])
      .meta({
        description: "The MAC addresses in its forwarding table. Used only if `complete` has fdb.",
      }),
    complete: z.array(z.enum(interfaceParts)).max(interfaceParts.length).default([]).meta({
      description:
        "The parts that the report contains completely: neighbors by LLDP and by CDP, the forwarding table, and VLANs. Other neighbors by lldp or cdp, if discovery created them, then end.",
    }),
  })
  .meta({ id: "ImportInterface", description: "An interface of the host." });

const scannedPorts = z
  .strictObject({ protocol, from: portNumber, to: portNumber })
  .refine(({ from, to }) => from <= to, { path: ["to"], error: "must not be less than from" })
  .meta({
    id: "ScannedPorts",
    description: "A range of ports, including both its first and its last port.",
  });

/** The scanned ports of a host. */
const scannedRanges = z
  .array(scannedPorts)
  .max(reportLimits.scannedRanges, atMost(reportLimits.scannedRanges))
  .default([])
  .meta({
    description:
      "The ports known to be open or closed. Omit ports that did not respond. If one of these ports is not among the open ones, the bindings that discovery created for it end.",
  });
type ScannedRanges = z.ZodType<z.output<typeof scannedRanges>>;

const hostOf = (ranges: ScannedRanges, port: ReadPort) =>
  z.strictObject({
    id: orNone(idExceptNil).meta({
      description: "The host's id, if known. Ignored if no host on the network has this id.",
    }),
    name: optionalDeviceText(100),
    hostname: optionalDeviceText(255),
    operating_system: optionalDeviceText(255),
    addresses: z
      .array(importAddress)
      .min(1, { error: "must have at least 1 member" })
      .max(reportLimits.addressesPerHost, atMost(reportLimits.addressesPerHost))
      .check(
        eachOnce<{ ip_address: string }>({
          // A router can have the same link-local address on several links.
          of: ({ ip_address }) =>
            `${canonicalAddress(unzoned(ip_address))}%${zoneOf(ip_address) ?? ""}`,
          field: "ip_address",
          message: "repeats an address of this host: send each address once",
        }),
      ),
    ports: z
      .array(port)
      .max(reportLimits.portsPerHost, atMost(reportLimits.portsPerHost))
      .check(
        eachOnce<z.output<ReadPort>>({
          of: ({ number, protocol }) => `${number}/${protocol}`,
          field: "number",
          message: "repeats a port of this host: send each number and protocol once",
        }),
      )
      .default([])
      .meta({ description: "Its open ports." }),
    interfaces: z
      .array(importInterface)
      .max(reportLimits.interfacesPerHost, atMost(reportLimits.interfacesPerHost))
      .check(
        eachOnce<{ if_index: number }>({
          of: ({ if_index }) => String(if_index),
          field: "if_index",
          message: "repeats an interface of this host: send each number once",
        }),
      )
      .default([]),
    interfaces_complete: z.boolean().default(false).meta({
      description:
        "True if the host has no other interfaces. Other interfaces created by discovery then end, unless `interfaces` is empty.",
    }),
    scanned_ports: ranges,
  });

/** A host in an import, identified by its natural keys (API contract, section 10). */
const importHost = hostOf(scannedRanges, importPort)
  .extend({
    description: optionalDeviceText(500),
    // A repaired external id would be another id, so an invalid one is ignored.
    external_id: orNone(
      z
        .string()
        .trim()
        .refine((text) => externalId.safeParse(text).success, {
          error: `must have at most ${maximumExternalId} characters, without control characters and lone surrogates`,
          params: exact,
        })
        .meta({ maxLength: maximumExternalId }),
    ).meta({ description: "Its id in another system. If omitted or null, it does not change." }),
    metadata: metadataSchema
      .nullable()
      .default(null)
      .meta({ description: "All its metadata. If omitted or null, it does not change." }),
    tags: z.array(name).max(maximumTags, atMost(maximumTags)).nullable().default(null).meta({
      description: "The names of all its tags. If omitted or null, they do not change.",
    }),
  })
  .meta({
    id: "ImportHost",
    description: "An observed host, identified by its natural keys.",
  });
export type ImportHost = z.output<ReturnType<typeof hostOf>> &
  Partial<
    Pick<z.output<typeof importHost>, "description" | "external_id" | "metadata" | "tags">
  > & {
    /** Set only for reports in another format. */
    is_operating_system_guessed?: boolean | undefined;
  };

const keyOf = (address: string) => canonicalAddress(unzoned(address));

/** Checks that the addresses of interfaces are addresses of the host. */
const withOwnAddresses: z.core.CheckFn<ImportHost> = ({ value: host, issues }) => {
  const own = new Set(host.addresses.map(({ ip_address }) => keyOf(ip_address)));
  for (const [at, { ip_addresses }] of host.interfaces.entries()) {
    for (const [position, address] of ip_addresses.entries()) {
      if (!own.has(keyOf(address))) {
        const message = "is not an address of this host: add it to addresses";
        const path = ["interfaces", at, "ip_addresses", position];
        issues.push({ code: "custom", input: address, path, message });
      }
    }
  }
};

/**
 * A host in an import, with its issues; null if it is invalid, so that the other hosts can be
 * imported.
 */
export interface ImportEntry extends Pick<Details<ImportHost>, "issues" | "sentPath"> {
  host: ImportHost | null;
}

const entryOf = (schema: z.ZodType<ImportHost>) => {
  const host = schema.check(withOwnAddresses);
  return host
    .transform(
      (valid): ImportEntry => ({
        host: valid,
        issues: [],
        sentPath: (path) => path,
      }),
    )
    .catch(({ error, input }) => safely(takeDetails(host, input, error.issues)));
};

/**
 * Ensures that a port or an interface that was dropped as invalid is not treated as closed or
 * removed.
 */
function safely({ value, issues, lost, sentPath }: Details<ImportHost>): ImportEntry {
  const lacksAny = (field: string) => lost.some(([of]) => of === field);
  const lacks = (list: string) => lost.some(([of, , field]) => of === list && field === undefined);
  const lostOf = Map.groupBy(
    lost.filter(([of]) => of === "interfaces"),
    ([, at]) => at,
  );
  return {
    host: value && {
      ...value,
      scanned_ports: lacks("ports") ? [] : value.scanned_ports,
      // Writing the rest would remove what was dropped.
      ...(lacksAny("metadata") && { metadata: null }),
      ...(lacksAny("tags") && { tags: null }),
      interfaces_complete: value.interfaces_complete && !lacks("interfaces"),
      interfaces: value.interfaces.map((one, position) => {
        const [, sent] = sentPath(["interfaces", position]);
        return withoutLost(
          one,
          (lostOf.get(sent) ?? []).map(([, , ...path]) => path),
          (path) => sentPath(["interfaces", position, ...path]).slice(2),
        );
      }),
    },
    issues,
    sentPath,
  };
}

type ImportInterface = ImportHost["interfaces"][number];

/** The parts of an interface, by the fields that contain them. */
const partsOfField: Readonly<Record<string, readonly InterfacePart[]>> = {
  neighbors: ["lldp", "cdp"],
  learned_macs: ["fdb"],
  native_vlan: ["vlans"],
  tagged_vlans: ["vlans"],
  complete: interfaceParts,
};

/**
 * Marks the parts that lost a value as incomplete. The port is part of the key of a neighbor, so a
 * neighbor that lost its port is dropped.
 * @param lost the paths of dropped values in the interface, as it was sent
 */
function withoutLost(
  one: ImportInterface,
  lost: readonly (readonly PropertyKey[])[],
  sentPath: (path: readonly PropertyKey[]) => readonly PropertyKey[],
): ImportInterface {
  if (lost.length === 0) {
    return one;
  }
  const withoutPort = new Set(
    lost.flatMap(([field, at, name]) => (field === "neighbors" && name === "port_id" ? [at] : [])),
  );
  const incomplete = new Set(
    lost
      // A neighbor that lost only a descriptive field is still complete.
      .filter(
        ([field, , name]) => field !== "neighbors" || name === undefined || name === "port_id",
      )
      .flatMap(([field]) => partsOfField[String(field)] ?? []),
  );
  return {
    ...one,
    neighbors: one.neighbors.filter(
      (_, position) => !withoutPort.has(sentPath(["neighbors", position])[1] ?? position),
    ),
    complete: one.complete.filter((part) => !incomplete.has(part)),
  };
}

/** A report about a known host that contains only its interfaces. */
export const interfaceReport = entryOf(
  hostOf(scannedRanges, importPort).extend({ addresses: z.tuple([]) }),
);

const head = {
  source: z
    .strictObject({ name, version: optionalText(100) })
    .nullable()
    .default(null)
    .meta({ id: "ImportSource", description: "The program that performed the scan." }),
  observed_at: timestamp.nullable().default(null).meta({
    description:
      "The time of the scan. Defaults to the current time. It must not be in the future.",
  }),
};

/** The number of records that a host needs: a port also needs a service and a binding. */
const rowsOf = ({ addresses, ports, interfaces }: ImportHost) =>
  addresses.length +
  3 * ports.length +
  interfaces.reduce((sum, { neighbors }) => sum + 1 + neighbors.length, 0);

/** Rejects a report with too many records. */
const withinRows: z.core.CheckFn<{ hosts: ImportEntry[] }> = ({ value, issues }) => {
  const rows = value.hosts.reduce((sum, { host }) => sum + (host ? rowsOf(host) : 0), 0);
  if (rows > reportLimits.rows) {
    const message = `must have at most ${reportLimits.rows} addresses, ports, interfaces, neighbors, services and bindings in all: send several reports`;
    issues.push({ code: "custom", input: value.hosts, path: ["hosts"], message });
  }
};

/** The body of an import (API contract, section 10). */
export const importBody = z
  .strictObject({
    ...head,
    hosts: z
      .array(entryOf(importHost))
      .min(1, { error: "must have at least 1 member" })
      .max(reportLimits.hosts, atMost(reportLimits.hosts)),
  })
  .check(withinRows)
  .meta({
    id: "ImportInput",
    description:
      "A report about a network. Unknown fields are errors. An invalid detail is ignored, and listed in its host's issues.",
  });
export type ImportBody = z.output<typeof importBody>;

/**
 * The body, converted from another format. It has no hosts if none was up. All hosts share one
 * array of ranges, since a copy for each of 2,000 hosts would take 76 MiB.
 */
export const readImport = z
  .strictObject({
    ...head,
    hosts: z
      .array(
        entryOf(
          hostOf(
            z.custom<ImportHost["scanned_ports"]>(
              (ranges) => Array.isArray(ranges) && ranges.length <= reportLimits.scannedRanges,
              `must have at most ${reportLimits.scannedRanges} ranges of scanned ports`,
            ),
            portOf(readService),
          ).extend({ is_operating_system_guessed: z.boolean() }),
        ),
      )
      .max(reportLimits.hosts, atMost(reportLimits.hosts)),
  })
  .check(withinRows);

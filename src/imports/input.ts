import * as z from "zod";
import { adminStatuses, operStatuses, transportProtocols } from "../database/tables/index.ts";
import { reportLimits } from "../discovery/report.ts";
import { eachOnce } from "../http/input/each-once.ts";
import { idOrNone } from "../http/input/id.ts";
import { integer, largeInteger } from "../http/input/integer.ts";
import { canonicalAddress, ipAddress, macAddress } from "../http/input/network.ts";
import { name, optionalText, textOf } from "../http/input/text.ts";
import { timestamp } from "../http/input/timestamp.ts";

const atMost = (maximum: number) => ({ error: `must have at most ${maximum} members` });

const importAddress = z
  .strictObject({ ip_address: ipAddress, mac_address: macAddress.nullable().default(null) })
  .meta({ id: "ImportAddress", description: "An address of the host." });

const serviceFields = {
  name,
  definition: z
    .string()
    .trim()
    .meta({ minLength: 1, maxLength: 255, pattern: "\\S" })
    .pipe(textOf(1, 255))
    .nullable()
    .default(null)
    .meta({ description: "What it is, such as Nginx; by default its name." }),
  version: optionalText(255),
};

const importService = z
  .strictObject(serviceFields)
  .meta({ id: "ImportService", description: "What listens on the port." });

/** What a reader of another form also knows of a service. */
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

const importInterface = z
  .strictObject({
    if_index: integer(1),
    name: optionalText(255),
    description: optionalText(255),
    type: integer(1).nullable().default(null),
    speed_bps: largeInteger.nullable().default(null),
    mac_address: macAddress.nullable().default(null),
    admin_status: z.enum(adminStatuses).nullable().default(null),
    oper_status: z.enum(operStatuses).nullable().default(null),
    ip_addresses: z
      .array(ipAddress)
      .max(reportLimits.addressesPerHost, atMost(reportLimits.addressesPerHost))
      .default([])
      .meta({ description: "Those of the host's `addresses` that are on it." }),
  })
  .meta({ id: "ImportInterface", description: "An interface of the host." });

const scannedPorts = z
  .strictObject({ protocol, from: portNumber, to: portNumber })
  .refine(({ from, to }) => from <= to, { path: ["to"], error: "must not be less than from" })
  .meta({ id: "ScannedPorts", description: "Ports from one number to another, both included." });

/** The ports that a host was asked for. */
const scannedRanges = z
  .array(scannedPorts)
  .max(reportLimits.scannedRanges, atMost(reportLimits.scannedRanges))
  .default([])
  .meta({
    description:
      "Which ports were looked at. What discovery bound to one that is not among the open ones ends.",
  });
type ScannedRanges = z.ZodType<z.output<typeof scannedRanges>>;

const hostOf = (ranges: ScannedRanges, port: ReadPort) =>
  z.strictObject({
    id: idOrNone.default(null).meta({
      description: "The host's id, if you know it. One that no host of the network has is ignored.",
    }),
    name: optionalText(100),
    hostname: optionalText(255),
    operating_system: optionalText(255),
    addresses: z
      .array(importAddress)
      .min(1, { error: "must have at least 1 member" })
      .max(reportLimits.addressesPerHost, atMost(reportLimits.addressesPerHost))
      .check(
        eachOnce<{ ip_address: string }>({
          of: ({ ip_address }) => canonicalAddress(ip_address),
          field: "ip_address",
          message: "is an address of this host already: send each address once",
        }),
      ),
    ports: z
      .array(port)
      .max(reportLimits.portsPerHost, atMost(reportLimits.portsPerHost))
      .check(
        eachOnce<z.output<ReadPort>>({
          of: ({ number, protocol }) => `${number}/${protocol}`,
          field: "number",
          message: "is a port of this host already: send each number and protocol once",
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
          message: "is an interface of this host already: send each number once",
        }),
      )
      .default([]),
    interfaces_complete: z.boolean().default(false).meta({
      description:
        "Whether the host has no other interfaces. Those that discovery made then end, unless `interfaces` is empty.",
    }),
    scanned_ports: ranges,
  });

/** A host of an import, by its natural keys (API contract, section 10). */
const importHost = hostOf(scannedRanges, importPort).meta({
  id: "ImportHost",
  description: "A host that was seen, by its natural keys.",
});
export type ImportHost = z.output<typeof importHost> & {
  /** Only a reader of another form says so. */
  is_operating_system_guessed?: boolean | undefined;
};

/** An interface has addresses of its own host only. */
const withOwnAddresses: z.core.CheckFn<ImportHost> = ({ value: host, issues }) => {
  const own = new Set(host.addresses.map(({ ip_address }) => canonicalAddress(ip_address)));
  for (const [at, { ip_addresses }] of host.interfaces.entries()) {
    for (const [place, address] of ip_addresses.entries()) {
      if (!own.has(canonicalAddress(address))) {
        const message = "is none of the host's addresses: send it among those, too";
        const path = ["interfaces", at, "ip_addresses", place];
        issues.push({ code: "custom", input: address, path, message });
      }
    }
  }
};

/** A host of an import, or what is wrong with it: one that is not valid must not stop the others. */
type ImportEntry =
  | { host: ImportHost; issues: null }
  | { host: null; issues: readonly z.core.$ZodIssue[] };

const entryOf = (host: z.ZodType<ImportHost>) =>
  host
    .check(withOwnAddresses)
    .transform((valid): ImportEntry => ({ host: valid, issues: null }))
    .catch(({ error }) => ({ host: null, issues: error.issues }));

const head = {
  source: z
    .strictObject({ name, version: optionalText(100) })
    .nullable()
    .default(null)
    .meta({ id: "ImportSource", description: "The program that looked." }),
  observed_at: timestamp
    .nullable()
    .default(null)
    .meta({ description: "When it looked; by default now. It must not lie in the future." }),
};

/** How many records a host makes: a port comes with its service and its binding. */
const rowsOf = ({ addresses, ports, interfaces }: ImportHost) =>
  addresses.length + 3 * ports.length + interfaces.length;

/** A report that has more rows is refused whole. */
const withinRows: z.core.CheckFn<{ hosts: ImportEntry[] }> = ({ value, issues }) => {
  const rows = value.hosts.reduce((sum, { host }) => sum + (host ? rowsOf(host) : 0), 0);
  if (rows > reportLimits.rows) {
    const message = `must have at most ${reportLimits.rows} addresses, ports, interfaces, services and bindings in all: send several reports`;
    issues.push({ code: "custom", input: value.hosts, path: ["hosts"], message });
  }
};

const masscanEntry = z.object({ ip: z.string(), ports: z.array(z.unknown()) });

/** masscan's own JSON has neither its name nor what it looked at; its XML at least says who wrote it. */
const isMasscans = (body: unknown) =>
  Array.isArray(body) && masscanEntry.safeParse(body[0]).success;

/** The body of an import (API contract, section 10). */
export const importBody = z
  .strictObject(
    {
      ...head,
      hosts: z
        .array(entryOf(importHost))
        .min(1, { error: "must have at least 1 member" })
        .max(reportLimits.hosts, atMost(reportLimits.hosts)),
    },
    {
      error: ({ code, input }) =>
        code === "invalid_type" && isMasscans(input)
          ? "is the JSON of masscan, which is not read: send what masscan -oX writes, as application/xml"
          : undefined,
    },
  )
  .check(withinRows)
  .meta({
    id: "ImportInput",
    description:
      "What was seen on a network. Unknown fields are errors; a host that is not valid fails alone.",
  });
export type ImportBody = z.output<typeof importBody>;

/**
 * What a reader of another form makes of it: it may have no hosts, as none may have been up, and
 * all hosts share one array of ranges: a copy for each of 2,000 hosts would take 76 MiB.
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

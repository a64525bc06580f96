import type * as z from "zod";
import { reportLimits } from "../../../discovery/report.ts";
import type { Pace, Steps } from "../../../discovery/steps.ts";
import { unzoned } from "../../../http/input/network.ts";
import { CallFailure } from "../call/call-failure.ts";
import { HostValidator, lists } from "./host-validator.ts";
import { cut, type Piece, type Pieces } from "./json-pieces.ts";
import { validateNeighbors } from "./neighbors.ts";
import {
  addressSchema,
  bindingSchema,
  hostSchema,
  interfaceSchema,
  maximumEntities,
  portSchema,
  refusedAddressSchema,
  serviceSchema,
  type WireHost,
  type WireInterface,
} from "./protocol.ts";

/**
 * Maximum number of bytes that are parsed per host, not counting its interfaces. Unused fields are
 * not parsed.
 */
const maximumBytes = 2 * 1024 * 1024;

/**
 * Maximum number of bytes that are parsed for a host's interfaces. The remaining interfaces are
 * dropped.
 */
const maximumInterfaceBytes = 512 * 1024;

/** Maximum number of fields in the `host` object, both known and unknown. */
const maximumFields = 500;

/** The cost of validating one member of each list, in units of work. */
const costs = { address: 20, port: 10, service: 80, binding: 10, interface: 60 } as const;

/**
 * Maximum length, in bytes, of a string that is parsed in a host that is too large. Ids and
 * addresses are shorter.
 */
const longestIdentifier = 255;

/** A host that has been parsed but not validated. */
export interface ParsedHost {
  /** The fields that are used, as the daemon sent them. */
  sent: Record<string, unknown>;
  /** The number of bytes that were parsed. */
  bytes: number;
  /** True if a part was too large to be parsed, and is therefore null, empty or missing. */
  isTooLarge: boolean;
  /** True if such a part may have contained an address. */
  lacksAddresses: boolean;
}

/**
 * Parses a host and the members of its lists. If a host is too large, parses only the parts that
 * identify it.
 * @throws {CallFailure} `not_json`
 */
export function* parseHost(piece: Piece, pace: Pace): Steps<ParsedHost> {
  return (yield* unlessTooLarge(parseWhole(piece, pace))) ?? (yield* parseIdentity(piece, pace));
}

/**
 * Returns null instead of throwing `too_large`, so that one large host does not make the poll fail.
 */
function* unlessTooLarge<Result>(steps: Steps<Result>): Steps<Result | null> {
  try {
    return yield* steps;
  } catch (error) {
    if (error instanceof CallFailure && error.reason === "too_large") {
      return null;
    }
    throw error;
  }
}

function* parseWhole(piece: Piece, pace: Pace): Steps<ParsedHost> {
  // Depth 3: the fields of `host`, and the members of the lists.
  const pieces = yield* cut(piece.json, { depth: 3, pace });
  const parsed: ParsedHost = { sent: {}, bytes: 0, isTooLarge: false, lacksAddresses: false };
  const { host = null } = Object(pieces.frame);
  parsed.sent["host"] = yield* parseFields(host, pieces, parsed, pace);
  for (const name of lists) {
    const list: unknown = Object(pieces.frame)[name];
    if (!Array.isArray(list)) {
      // A value that is not a list is dropped.
      parsed.sent[name] = list === undefined ? undefined : null;
      continue;
    }
    const { members, isWhole } = yield* parseMembers(list, pieces, parsed, pace);
    parsed.sent[name] = members;
    parsed.lacksAddresses ||= name === "ip_addresses" && !isWhole;
  }
  yield* parseInterfaces(Object(pieces.frame), pieces, parsed, pace);
  // The fields of `interface_data_complete` are booleans, so they are in the frame, not in pieces.
  // A marker in place of a field is invalid.
  const { interface_data_complete: complete = null } = Object(pieces.frame);
  parsed.sent["interface_data_complete"] = complete;
  return parsed;
}

/**
 * Parses the interfaces up to {@link maximumInterfaceBytes}. If some are dropped, marks the table
 * as incomplete, so that they are not treated as absent.
 */
function* parseInterfaces(
  { interfaces, interfaces_complete }: Readonly<Record<string, unknown>>,
  pieces: Pieces,
  parsed: ParsedHost,
  pace: Pace,
): Steps<void> {
  if (!Array.isArray(interfaces)) {
    return;
  }
  const parts = interfaces.slice(0, reportLimits.interfacesPerHost);
  const members: unknown[] = [];
  let bytes = 0;
  for (const value of parts) {
    const part = pieces.at(value);
    bytes += part?.json.length ?? 0;
    if (bytes > maximumInterfaceBytes) {
      break;
    }
    members.push(part === null ? value : part.parse());
    if (pace.isOver(part?.units ?? 1)) {
      yield;
    }
  }
  parsed.sent["interfaces"] = members;
  parsed.sent["interfaces_complete"] =
    interfaces_complete !== false && members.length === interfaces.length;
}

/** Parses the fields of `host` and the addresses. Skips either of the two if it is too large. */
function* parseIdentity(piece: Piece, pace: Pace): Steps<ParsedHost> {
  const parsed: ParsedHost = { sent: {}, bytes: 0, isTooLarge: true, lacksAddresses: true };
  const cutPart = (part: Piece) =>
    unlessTooLarge(cut(part.json, { depth: 2, longest: longestIdentifier, pace }));
  const parts = yield* cutPart(piece);
  if (parts === null) {
    return parsed;
  }
  const { host, ip_addresses } = Object(parts.frame);
  const hostPart = parts.at(host);
  const fields = hostPart ? yield* cutPart(hostPart) : null;
  if (fields !== null) {
    parsed.sent["host"] = yield* parseFields(fields.frame, fields, parsed, pace);
  }
  const addressPart = parts.at(ip_addresses);
  const addresses = addressPart ? yield* cutPart(addressPart) : null;
  if (addresses !== null && Array.isArray(addresses.frame)) {
    const { members, isWhole } = yield* parseMembers(addresses.frame, addresses, parsed, pace);
    parsed.sent["ip_addresses"] = members;
    parsed.lacksAddresses = !isWhole;
  }
  return parsed;
}

/**
 * Returns a value from a frame; if the value is a marker, parses and returns the piece that it
 * replaces, or returns null if the piece is too large.
 */
function parseValue(value: unknown, pieces: Pieces, parsed: ParsedHost): unknown {
  const part = pieces.at(value);
  if (part === null) {
    return value;
  }
  parsed.bytes += part.json.length;
  const member = parsed.bytes > maximumBytes ? undefined : part.parse();
  parsed.isTooLarge ||= member === undefined;
  return member ?? null;
}

function* parseFields(
  host: unknown,
  pieces: Pieces,
  parsed: ParsedHost,
  pace: Pace,
): Steps<Record<string, unknown>> {
  const entries = Object.entries(Object(host));
  parsed.isTooLarge ||= entries.length > maximumFields;
  const fields: [string, unknown][] = [];
  for (const [name, value] of entries.slice(0, maximumFields)) {
    fields.push([name, parseValue(value, pieces, parsed)]);
    if (pace.isOver(pieces.at(value)?.units ?? 1)) {
      yield;
    }
  }
  // The fields are not assigned one by one, since a field may be named `__proto__`.
  return Object.fromEntries(fields);
}

/** @returns `isWhole`: false if a member was too large */
function* parseMembers(
  list: readonly unknown[],
  pieces: Pieces,
  parsed: ParsedHost,
  pace: Pace,
): Steps<{ members: unknown[]; isWhole: boolean }> {
  const members: unknown[] = [];
  let isWhole = true;
  for (const value of list) {
    const member = parseValue(value, pieces, parsed);
    members.push(member);
    isWhole &&= member !== null || value === null;
    if (pace.isOver(pieces.at(value)?.units ?? 1)) {
      yield;
    }
  }
  return { members, isWhole };
}

/**
 * Validates a host and the members of its lists one by one. Returns null if the host has the wrong
 * shape, has addresses but no valid ones, or exceeds a limit.
 */
export function* validateHost(
  { sent, isTooLarge }: ParsedHost,
  pace: Pace,
): Steps<WireHost | null> {
  const validator = new HostValidator(pace);
  const host = isTooLarge ? null : validator.check("", hostSchema, sent);
  if (!host) {
    return null;
  }
  const ip_addresses = yield* validator.each(
    "ip_addresses",
    addressSchema,
    host.ip_addresses,
    costs.address,
  );
  const ports = yield* validator.each("ports", portSchema, host.ports, costs.port);
  const services = yield* validateServices(host.services, validator, pace);
  const bindings = services.reduce((sum, service) => sum + service.bindings.length, 0);
  const isUnidentified = host.ip_addresses.length > 0 && ip_addresses.length === 0;
  if (isUnidentified || bindings > reportLimits.bindingsPerHost) {
    return null;
  }
  const lacksParts =
    validator.lost ||
    ip_addresses.length < host.ip_addresses.length ||
    ports.length < host.ports.length ||
    services.length < host.services.length;
  const interfaces = yield* validateInterfaces(host, validator, pace);
  return {
    ...host,
    ip_addresses: ip_addresses.map(({ member }) => member),
    ports: ports.map(({ member }) => member),
    services,
    ...interfaces,
    lacksParts,
    issues: validator.issues,
  };
}

function* validateServices(
  sent: readonly unknown[],
  validator: HostValidator,
  pace: Pace,
): Steps<WireHost["services"]> {
  const services: WireHost["services"] = [];
  let room: number = reportLimits.bindingsPerHost;
  for (const { member, position } of yield* validator.each(
    "services",
    serviceSchema,
    sent,
    costs.service,
  )) {
    const path = `services[${position}].bindings`;
    // One binding beyond the limit is enough to refuse the host, so further bindings are not
    // validated.
    const own = member.bindings.slice(0, room + 1);
    const bindings = yield* validator.each(path, bindingSchema, own, costs.binding);
    room = Math.max(0, room - own.length);
    validator.lost ||= bindings.length < own.length;
    services.push({
      ...member,
      position,
      bindings: bindings.map(({ member: binding, position: at }) => ({ binding, position: at })),
    });
    if (pace.isOver(1)) {
      yield;
    }
  }
  return services;
}

/**
 * Returns the valid interfaces, one per `if_index`. If several have the same `if_index`, the last
 * one is used.
 */
function* validateInterfaces(
  { interfaces: sent, interfaces_complete, interface_data_complete }: z.output<typeof hostSchema>,
  validator: HostValidator,
  pace: Pace,
): Steps<Pick<WireHost, "interfaces" | "interfaces_complete">> {
  const known = new Map<number, WireInterface>();
  let valid = 0;
  let room: number = maximumEntities.neighbors;
  for (const [position, one] of sent.entries()) {
    if (pace.isOver(costs.interface)) {
      yield;
    }
    const path = `interfaces[${position}]`;
    const { value, lost } = validator.take(path, interfaceSchema, one);
    if (value !== null) {
      valid++;
      const found = yield* validateNeighbors(value, lost, {
        path,
        complete: interface_data_complete,
        room,
        validator,
        pace,
      });
      room -= found.neighbors.length;
      known.set(value.if_index, { ...value, ...found });
    }
  }
  return {
    interfaces: [...known.values()],
    interfaces_complete: interfaces_complete && valid === sent.length,
  };
}

/** Returns the valid addresses of a refused host. */
export function* addressesOf(sent: readonly unknown[], pace: Pace): Steps<string[]> {
  const addresses: string[] = [];
  for (const one of sent) {
    if (pace.isOver(costs.address)) {
      yield;
    }
    const known = refusedAddressSchema.safeParse(one).data;
    if (known) {
      addresses.push(unzoned(known.ip_address));
    }
  }
  return addresses;
}

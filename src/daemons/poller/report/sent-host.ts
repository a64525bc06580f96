import type * as z from "zod";
import { takeDetails } from "../../../discovery/details.ts";
import { reportLimits } from "../../../discovery/report.ts";
import type { Pace, Steps } from "../../../discovery/steps.ts";
import { unzoned } from "../../../http/input/network.ts";
import { IssueList } from "../../../http/validation/issues.ts";
import { addIssues } from "../../../http/validation/zod-issues.ts";
import { CallFailure } from "../call/call-failure.ts";
import { cut, type Piece, type Pieces } from "./json-pieces.ts";
import {
  addressSchema,
  bindingSchema,
  hostSchema,
  interfaceSchema,
  portSchema,
  refusedAddressSchema,
  serviceSchema,
  type WireHost,
} from "./protocol.ts";

/** The most of one host that is parsed, in bytes, but for its interfaces. What is not used is not. */
const maximumBytes = 2 * 1024 * 1024;

/** The most of the interfaces of one host that is parsed, in bytes: without the rest, the host is as it is. */
const maximumInterfaceBytes = 512 * 1024;

/** The most fields of the host itself, known and unknown ones. */
const maximumFields = 500;

/** Lists that belong to a host. */
const lists = ["ip_addresses", "ports", "services", "subnets"] as const;

/** What judging one of each costs, in units of work. */
const costs = { address: 20, port: 10, service: 80, binding: 10, interface: 40 } as const;

/** The longest text that is kept of a host that is too large, in bytes: no id and no address is longer. */
const longestKept = 255;

/** A host as the daemon sent it, as far as it is used. Nothing is known of it yet. */
export interface SentHost {
  sent: Record<string, unknown>;
  /** How much of it was parsed. */
  bytes: number;
  /** Whether something was too large to be parsed, and is null, empty or left out. */
  isTooLarge: boolean;
  /** Whether that may have been an address of the host. */
  lacksAddresses: boolean;
}

/**
 * Parses a host, and what belongs to it one by one. Of one that is too large, only what tells which
 * host it is.
 * @throws {CallFailure} `not_json`
 */
export function* openHost(piece: Piece, pace: Pace): Steps<SentHost> {
  return (yield* unlessTooLarge(openWhole(piece, pace))) ?? (yield* openPartly(piece, pace));
}

/** Null where the work finds that it is too large: that is a host's own fault, and no other's. */
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

function* openWhole(piece: Piece, pace: Pace): Steps<SentHost> {
  // The fields of the host itself, and the members of its lists.
  const pieces = yield* cut(piece.json, { depth: 3, pace });
  const opened: SentHost = { sent: {}, bytes: 0, isTooLarge: false, lacksAddresses: false };
  const { host = null } = Object(pieces.frame);
  opened.sent["host"] = yield* openFields(host, pieces, opened, pace);
  for (const name of lists) {
    const list: unknown = Object(pieces.frame)[name];
    if (!Array.isArray(list)) {
      // What is no list is not read.
      opened.sent[name] = list === undefined ? undefined : null;
      continue;
    }
    const { members, isWhole } = yield* openMembers(list, pieces, opened, pace);
    opened.sent[name] = members;
    opened.lacksAddresses ||= name === "ip_addresses" && !isWhole;
  }
  yield* openInterfaces(Object(pieces.frame), pieces, opened, pace);
  return opened;
}

/** The interfaces, one by one, as far as they are not too large: what lacks then is not gone. */
function* openInterfaces(
  { interfaces, interfaces_complete }: Readonly<Record<string, unknown>>,
  pieces: Pieces,
  opened: SentHost,
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
  opened.sent["interfaces"] = members;
  opened.sent["interfaces_complete"] =
    interfaces_complete !== false && members.length === interfaces.length;
}

/** Only the fields of the host itself and its addresses, each as far as it is not too large by itself. */
function* openPartly(piece: Piece, pace: Pace): Steps<SentHost> {
  const opened: SentHost = { sent: {}, bytes: 0, isTooLarge: true, lacksAddresses: true };
  const cutPart = (part: Piece) =>
    unlessTooLarge(cut(part.json, { depth: 2, longest: longestKept, pace }));
  const parts = yield* cutPart(piece);
  if (parts === null) {
    return opened;
  }
  const { host, ip_addresses } = Object(parts.frame);
  const hostPart = parts.at(host);
  const fields = hostPart ? yield* cutPart(hostPart) : null;
  if (fields !== null) {
    opened.sent["host"] = yield* openFields(fields.frame, fields, opened, pace);
  }
  const addressPart = parts.at(ip_addresses);
  const addresses = addressPart ? yield* cutPart(addressPart) : null;
  if (addresses !== null && Array.isArray(addresses.frame)) {
    const { members, isWhole } = yield* openMembers(addresses.frame, addresses, opened, pace);
    opened.sent["ip_addresses"] = members;
    opened.lacksAddresses = !isWhole;
  }
  return opened;
}

/** What a frame has as a value, or what stood in its place; null where that is too large. */
function open(value: unknown, pieces: Pieces, opened: SentHost): unknown {
  const part = pieces.at(value);
  if (part === null) {
    return value;
  }
  opened.bytes += part.json.length;
  const parsed = opened.bytes > maximumBytes ? undefined : part.parse();
  opened.isTooLarge ||= parsed === undefined;
  return parsed ?? null;
}

function* openFields(
  host: unknown,
  pieces: Pieces,
  opened: SentHost,
  pace: Pace,
): Steps<Record<string, unknown>> {
  const entries = Object.entries(Object(host));
  opened.isTooLarge ||= entries.length > maximumFields;
  const fields: [string, unknown][] = [];
  for (const [name, value] of entries.slice(0, maximumFields)) {
    fields.push([name, open(value, pieces, opened)]);
    if (pace.isOver(pieces.at(value)?.units ?? 1)) {
      yield;
    }
  }
  // No assignment: a field may be named `__proto__`.
  return Object.fromEntries(fields);
}

/** @returns with whether none of them was too large */
function* openMembers(
  list: readonly unknown[],
  pieces: Pieces,
  opened: SentHost,
  pace: Pace,
): Steps<{ members: unknown[]; isWhole: boolean }> {
  const members: unknown[] = [];
  let isWhole = true;
  for (const value of list) {
    const member = open(value, pieces, opened);
    members.push(member);
    isWhole &&= member !== null || value === null;
    if (pace.isOver(pieces.at(value)?.units ?? 1)) {
      yield;
    }
  }
  return { members, isWhole };
}

/**
 * Judges a host, and what belongs to it one by one. Null where it is of a wrong shape, or none of its addresses
 * is one.
 */
export function* judgeHost({ sent, isTooLarge }: SentHost, pace: Pace): Steps<WireHost | null> {
  const judge = new Judge(pace);
  const host = isTooLarge ? null : judge.take("", hostSchema, sent);
  if (!host) {
    return null;
  }
  const ip_addresses = yield* judge.each(
    "ip_addresses",
    addressSchema,
    host.ip_addresses,
    costs.address,
  );
  const ports = yield* judge.each("ports", portSchema, host.ports, costs.port);
  const services = yield* judgeServices(host.services, judge, pace);
  const bindings = services.reduce((sum, service) => sum + service.bindings.length, 0);
  const isUnidentified = host.ip_addresses.length > 0 && ip_addresses.length === 0;
  if (isUnidentified || bindings > reportLimits.bindingsPerHost) {
    return null;
  }
  const lacksParts =
    judge.lost ||
    ip_addresses.length < host.ip_addresses.length ||
    ports.length < host.ports.length ||
    services.length < host.services.length;
  const interfaces = yield* judgeInterfaces(host, judge);
  return {
    ...host,
    ip_addresses: ip_addresses.map(({ member }) => member),
    ports: ports.map(({ member }) => member),
    services,
    ...interfaces,
    lacksParts,
    issues: judge.issues,
  };
}

/** Judges what belongs to a host, and keeps what is wrong with it. */
class Judge {
  readonly issues = new IssueList();
  /** Whether a list of a host, or a binding, could not be taken. */
  lost = false;
  readonly #pace: Pace;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  take<Value>(path: string, schema: z.ZodType<Value>, sent: unknown): Value | null {
    const { value, issues, lost } = takeDetails(schema, sent);
    if (issues.length > 0) {
      addIssues(this.issues, path, issues);
    }
    this.lost ||= path === "" && lost.some(([name]) => lists.some((list) => list === name));
    return value;
  }

  /** The members of a list that can be taken, each with its place in what was sent. */
  *each<Value>(
    name: string,
    schema: z.ZodType<Value>,
    sent: readonly unknown[],
    cost: number,
  ): Steps<{ member: Value; place: number }[]> {
    const taken: { member: Value; place: number }[] = [];
    for (const [place, one] of sent.entries()) {
      if (this.#pace.isOver(cost)) {
        yield;
      }
      const member = this.take(`${name}[${place}]`, schema, one);
      if (member !== null) {
        taken.push({ member, place });
      }
    }
    return taken;
  }
}

function* judgeServices(
  sent: readonly unknown[],
  judge: Judge,
  pace: Pace,
): Steps<WireHost["services"]> {
  const services: WireHost["services"] = [];
  let room: number = reportLimits.bindingsPerHost;
  for (const { member, place } of yield* judge.each(
    "services",
    serviceSchema,
    sent,
    costs.service,
  )) {
    const path = `services[${place}].bindings`;
    // More than a host may have are not judged: the host is then refused.
    const own = member.bindings.slice(0, room + 1);
    const bindings = yield* judge.each(path, bindingSchema, own, costs.binding);
    room = Math.max(0, room - own.length);
    judge.lost ||= bindings.length < own.length;
    services.push({
      ...member,
      place,
      bindings: bindings.map(({ member: binding, place: at }) => ({ binding, place: at })),
    });
    if (pace.isOver(1)) {
      yield;
    }
  }
  return services;
}

/** The interfaces that can be taken, each number once. */
function* judgeInterfaces(
  { interfaces: sent, interfaces_complete }: z.output<typeof hostSchema>,
  judge: Judge,
): Steps<Pick<WireHost, "interfaces" | "interfaces_complete">> {
  const taken = yield* judge.each("interfaces", interfaceSchema, sent, costs.interface);
  const known = new Map(taken.map(({ member }) => [member.if_index, member]));
  return {
    interfaces: [...known.values()],
    interfaces_complete: interfaces_complete && taken.length === sent.length,
  };
}

/** The addresses that are named by a host that is not believed. */
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

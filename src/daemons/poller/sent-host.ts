import type * as z from "zod";
import { reportLimits } from "../../discovery/report.ts";
import type { Pace, Steps } from "../../discovery/steps.ts";
import { cut, type Piece } from "./json-pieces.ts";
import {
  addressSchema,
  hostSchema,
  portSchema,
  refusedAddressSchema,
  serviceSchema,
  type WireHost,
} from "./protocol.ts";

/** The most of one host that is parsed, in bytes. What is not used, such as its interfaces, is not. */
const maximumBytes = 2 * 1024 * 1024;

/** The most fields of the host itself, known and unknown ones. */
const maximumFields = 500;

/** Lists that belong to a host. */
const lists = ["ip_addresses", "ports", "services", "subnets"] as const;

/** What judging one of each costs, in units of work. */
const costs = { address: 20, port: 10, service: 80, binding: 10 } as const;

/** A host as the daemon sent it, as far as it is used. Nothing is known of it yet. */
export interface SentHost {
  sent: Record<string, unknown>;
  /** How much of it was parsed. */
  bytes: number;
  /** Whether something was too large to be parsed, and is null. */
  isTooLarge: boolean;
}

/**
 * Parses a host, and what belongs to it one by one.
 * @throws {CallFailure} `not_json`, `too_large`
 */
export function* openHost(piece: Piece, pace: Pace): Steps<SentHost> {
  // The fields of the host itself, and the members of its lists.
  const pieces = yield* cut(piece.json, { depth: 3, pace });
  const opened: SentHost = { sent: {}, bytes: 0, isTooLarge: false };
  const open = (value: unknown): unknown => {
    const part = pieces.at(value);
    if (part === null) {
      return value;
    }
    opened.bytes += part.json.length;
    const parsed = opened.bytes > maximumBytes ? undefined : part.parse();
    opened.isTooLarge ||= parsed === undefined;
    return parsed ?? null;
  };
  const { host = null } = Object(pieces.frame);
  const fields: Record<string, unknown> = {};
  const entries = Object.entries(Object(host));
  opened.isTooLarge = entries.length > maximumFields;
  for (const [name, value] of entries.slice(0, maximumFields)) {
    fields[name] = open(value);
    if (pace.isOver(pieces.at(value)?.units ?? 1)) {
      yield;
    }
  }
  opened.sent["host"] = fields;
  for (const name of lists) {
    const list: unknown = Object(pieces.frame)[name];
    if (!Array.isArray(list)) {
      // What is no list is not read.
      opened.sent[name] = list === undefined ? undefined : null;
      continue;
    }
    const members: unknown[] = [];
    opened.sent[name] = members;
    for (const value of list) {
      members.push(open(value));
      if (pace.isOver(pieces.at(value)?.units ?? 1)) {
        yield;
      }
    }
  }
  return opened;
}

/** Judges a host, and what belongs to it one by one. Null where any of it is of a wrong shape. */
export function* judgeHost({ sent, isTooLarge }: SentHost, pace: Pace): Steps<WireHost | null> {
  const host = isTooLarge ? null : hostSchema.safeParse(sent);
  if (!host?.success) {
    return null;
  }
  const ip_addresses = yield* judgeEach(host.data.ip_addresses, addressSchema, pace, costs.address);
  const ports = yield* judgeEach(host.data.ports, portSchema, pace, costs.port);
  const services = yield* judgeEach(host.data.services, serviceSchema, pace, costs.service);
  if (ip_addresses === null || ports === null || services === null) {
    return null;
  }
  const bindings = services.reduce((sum, service) => sum + service.bindings.length, 0);
  return bindings > reportLimits.bindingsPerHost
    ? null
    : { ...host.data, ip_addresses, ports, services };
}

function* judgeEach<Schema extends z.ZodType>(
  members: readonly unknown[],
  schema: Schema,
  pace: Pace,
  cost: number,
): Steps<z.output<Schema>[] | null> {
  const judged: z.output<Schema>[] = [];
  for (const member of members) {
    const { bindings = [] } = Object(member);
    const bound = Array.isArray(bindings) ? bindings.length : 0;
    if (pace.isOver(cost + costs.binding * Math.min(bound, reportLimits.bindingsPerHost))) {
      yield;
    }
    const known = schema.safeParse(member);
    if (!known.success) {
      return null;
    }
    judged.push(known.data);
  }
  return judged;
}

/** What addresses a host names that is not believed. */
export function* addressesOf(sent: readonly unknown[], pace: Pace): Steps<string[]> {
  const addresses: string[] = [];
  for (const one of sent) {
    if (pace.isOver(costs.address)) {
      yield;
    }
    const known = refusedAddressSchema.safeParse(one).data;
    if (known) {
      addresses.push(known.ip_address);
    }
  }
  return addresses;
}

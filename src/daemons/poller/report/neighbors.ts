import type * as z from "zod";
import {
  type InterfacePart,
  type ReportedInterface,
  type ReportedNeighbor,
  reportLimits,
} from "../../../discovery/report.ts";
import type { Pace, Steps } from "../../../discovery/steps.ts";
import type { HostValidator } from "./host-validator.ts";
import {
  candidateSchema,
  type hostSchema,
  type interfaceSchema,
  learnedMacSchema,
} from "./protocol.ts";

type Candidate = z.output<typeof candidateSchema>;

/** The names of the fields that were dropped as invalid. */
type Lost = ReadonlySet<PropertyKey | undefined>;

/** The costs of validating a candidate and a MAC address, in units of work. */
const costs = { candidate: 40, mac: 2 } as const;

interface Options {
  /** The path of the interface in issues. */
  path: string;
  /** The parts that the daemon reports as complete. */
  complete: z.output<typeof hostSchema>["interface_data_complete"];
  /** How many more neighbors the host can have. Neighbors beyond that number are dropped. */
  room: number;
  validator: HostValidator;
  pace: Pace;
}

/**
 * Validates the neighbors and the forwarding table of an interface. A part is complete if the
 * daemon reports it as complete and nothing was dropped from it.
 * @param sent the valid fields of the interface. Daemons up to 0.17.14 report a single neighbor, in
 *   these fields
 */
export function* validateNeighbors(
  sent: z.output<typeof interfaceSchema>,
  lost: Lost,
  { path, complete, room, validator, pace }: Options,
): Steps<Pick<ReportedInterface, "neighbors" | "learned_macs" | "complete">> {
  const dropped = new Set<InterfacePart>();
  const neighbors = neighborsOf(sent, lost, dropped);
  const most = Math.min(room, reportLimits.neighborsPerInterface);
  for (const [position, candidate] of sent.neighbor_candidates.slice(0, most).entries()) {
    if (pace.isOver(costs.candidate)) {
      yield;
    }
    const at = `${path}.neighbor_candidates[${position}]`;
    const { value, lost: lostFields } = validator.take(at, candidateSchema, candidate);
    if (value === null) {
      dropped.add("lldp").add("cdp");
    } else {
      neighbors.push(...neighborsOf(value, lostFields, dropped));
    }
  }
  if (neighbors.length > most || sent.neighbor_candidates.length > most) {
    dropped.add("lldp").add("cdp");
  }
  const macs = sent.fdb_macs.slice(0, reportLimits.learnedMacsPerInterface);
  const learned = yield* validator.each(`${path}.fdb_macs`, learnedMacSchema, macs, costs.mac);
  if (learned.length < sent.fdb_macs.length || lost.has("fdb_macs")) {
    dropped.add("fdb");
  }
  if (lost.has("neighbor_candidates")) {
    dropped.add("lldp").add("cdp");
  }
  return {
    neighbors: neighbors.slice(0, most),
    learned_macs: learned.map(({ member }) => member),
    complete: (["lldp", "cdp", "fdb"] as const).filter(
      (part) => complete?.[part] === true && !dropped.has(part),
    ),
  };
}

/**
 * Converts a candidate to its neighbors: at most one by LLDP and one by CDP. There are none if the
 * candidate has neither a chassis id nor a device id. The port is part of the key of a neighbor, so
 * a neighbor with an invalid port is dropped.
 */
function neighborsOf(
  candidate: Candidate,
  lost: Lost,
  dropped: Set<InterfacePart>,
): ReportedNeighbor[] {
  const neighbors: ReportedNeighbor[] = [];
  if (lost.has("lldp_chassis_id") || lost.has("lldp_port_id")) {
    dropped.add("lldp");
  } else if (candidate.lldp_chassis_id !== null) {
    neighbors.push({
      protocol: "Lldp",
      chassis_id: candidate.lldp_chassis_id,
      port_id: candidate.lldp_port_id,
      system_name: candidate.lldp_sys_name,
      system_description: candidate.lldp_sys_desc,
      port_description: candidate.lldp_port_desc,
      management_addresses: listOf(candidate.lldp_mgmt_addr),
    });
  }
  const { cdp_device_id: device, cdp_port_id: port } = candidate;
  if (lost.has("cdp_device_id") || lost.has("cdp_port_id")) {
    dropped.add("cdp");
  } else if (device !== null) {
    neighbors.push({
      protocol: "Cdp",
      chassis_id: { subtype: "LocallyAssigned", value: device },
      port_id: port === null ? null : { subtype: "InterfaceName", value: port },
      system_name: null,
      system_description: candidate.cdp_platform,
      port_description: null,
      management_addresses: listOf(candidate.cdp_address),
    });
  }
  return neighbors;
}

const listOf = (address: string | null): string[] => (address === null ? [] : [address]);

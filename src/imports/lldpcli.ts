import * as z from "zod";
import { type chassisSubtypes, maximumManagementAddresses } from "../database/tables/index.ts";
import { cleanText } from "../discovery/details.ts";
import type { heardProtocols, Report } from "../discovery/report.ts";
import { type ImportEntry, interfaceReport } from "./input.ts";
import { reportOf } from "./to-report.ts";

// lldpcli prints one structure in two forms (lldpd 1.0, src/client/display.c and json_writer.c).
// `-f json0` prints it as it is. `-f json` prints a list of one member as that member, an object that
// has only a `value` as that value, and an object with a `name` as the only member of another object,
// under that name. So the same element has many shapes, which these functions read.

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const listOf = (value: unknown): unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

const fieldsOf = (value: unknown): Record<string, unknown> => {
  const [only] = listOf(value);
  return isObject(only) ? only : {};
};

/** Returns the value of an element: text, or whatever stands in its place. */
const textOf = (element: unknown): unknown => {
  const [only] = listOf(element);
  return isObject(only) ? only["value"] : only;
};

/**
 * Returns the name and the fields of an object whose name may be printed around it.
 * @param field a field that the object always has
 */
function namedOf(
  printed: unknown,
  field: string,
): [name: unknown, fields: Record<string, unknown>] {
  const fields = fieldsOf(printed);
  const [[name, inner] = [], ...others] = Object.entries(fields);
  return name !== undefined && others.length === 0 && isObject(inner) && Object.hasOwn(inner, field)
    ? [name, inner]
    : [textOf(fields["name"]), fields];
}

/** The supported protocols, as lldpcli calls them. lldpcli also knows EDP, FDP and SONMP. */
const protocols: ReadonlyMap<unknown, (typeof heardProtocols)[number]> = new Map([
  ["LLDP", "Lldp"],
  ["CDPv1", "Cdp"],
  ["CDPv2", "Cdp"],
]);

/** The subtypes of a chassis id or a port id. Any others are `unhandled`, without a value. */
const subtypes: ReadonlyMap<unknown, (typeof chassisSubtypes)[number]> = new Map([
  ["ifname", "InterfaceName"],
  ["ifalias", "InterfaceAlias"],
  ["local", "LocallyAssigned"],
  ["mac", "MacAddress"],
  ["ip", "NetworkAddress"],
]);

function idOf(element: unknown) {
  const { type, value } = fieldsOf(element);
  return { subtype: subtypes.get(type) ?? null, value };
}

function neighborOf(entry: Record<string, unknown>) {
  const [system_name, chassis] = namedOf(entry["chassis"], "id");
  const port = fieldsOf(entry["port"]);
  return {
    protocol: protocols.get(entry["via"]),
    chassis_id: idOf(chassis["id"]),
    port_id: port["id"] === undefined ? null : idOf(port["id"]),
    system_name: system_name ?? null,
    system_description: textOf(chassis["descr"]) ?? null,
    port_description: textOf(port["descr"]) ?? null,
    management_addresses: listOf(chassis["mgmt-ip"])
      .slice(0, maximumManagementAddresses)
      .map(textOf),
  };
}

/** The maximum length of the name of an interface; a longer one is truncated. */
const maximumName = 255;

/** The interfaces, each with the neighbors that it hears by LLDP and CDP, numbered from 1. */
function interfacesOf(lldp: unknown) {
  const entries = listOf(fieldsOf(lldp)["interface"]).map((entry) => namedOf(entry, "via"));
  // By the name that is compared with those of the host's interfaces: the completeness of an
  // interface depends on all its neighbors.
  const byName = Map.groupBy(entries, ([name]) => cleanText(String(name), maximumName));
  return [...byName.values()].map((heard, position) => {
    const [[name] = []] = heard;
    const neighbors = heard
      .map(([, entry]) => neighborOf(entry))
      .filter(({ protocol }) => protocol);
    const complete = new Set(neighbors.map(({ protocol }) => protocol?.toLowerCase()));
    return { if_index: position + 1, name, neighbors, complete: [...complete] };
  });
}

const shape = z.custom<unknown>(
  (lldp) =>
    listOf(lldp).length <= 1 &&
    listOf(lldp).every(isObject) &&
    listOf(fieldsOf(lldp)["interface"]).every((entry) => {
      const [name, { via }] = namedOf(entry, "via");
      return typeof name === "string" && typeof via === "string";
    }),
  "must be what lldpcli show neighbors -f json prints, with the protocol of each neighbor in via",
);

/** The body of an import about one host: what `lldpcli show neighbors -f json` prints there. */
export const lldpcliBody = z
  .strictObject({
    lldp: shape.meta({
      description:
        "The neighbors by interface. Neighbors by protocols other than LLDP and CDP are ignored.",
    }),
  })
  .meta({
    id: "LldpcliOutput",
    description: "The output of `lldpcli show neighbors -f json` or `-f json0`.",
  })
  .transform(({ lldp }): unknown => ({ addresses: [], interfaces: interfacesOf(lldp) }))
  .pipe(interfaceReport);

/**
 * Converts the body to a report about a stored host. Its interfaces are numbered from 1.
 * @param isComplete true if the interfaces in the output hear no other neighbors by the protocols
 *   that they hear neighbors by
 */
export function neighborReport(
  { host, ...entry }: ImportEntry,
  { hostId, isComplete }: { hostId: string; isComplete: boolean },
): Report {
  const interfaces = host?.interfaces.map((one) => (isComplete ? one : { ...one, complete: [] }));
  return reportOf({
    source: { name: "lldpcli", version: null },
    observed_at: null,
    hosts: [{ ...entry, host: host && { ...host, id: hostId, interfaces: interfaces ?? [] } }],
  });
}

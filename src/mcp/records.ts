import { isObject, type Json } from "./protocol.ts";

/** Maximum number of members of a list in a result. The remaining members are only counted. */
const maximumListed = 100;

const listIn = (record: Json, name: string): Json[] => {
  const list = record[name];
  return Array.isArray(list) ? list.filter(isObject) : [];
};

const addressesOf = (host: Json): unknown[] =>
  listIn(host, "ip_addresses").map(({ ip_address }) => ip_address);

/** The open ports of a host with the services bound to them, such as `443/Tcp nginx`. */
export function listens(host: Json): string[] {
  const services = new Map<unknown, string[]>();
  for (const service of listIn(host, "services")) {
    for (const { port_id } of listIn(service, "bindings")) {
      const names = services.get(port_id);
      if (names) {
        names.push(String(service["name"]));
      } else {
        services.set(port_id, [String(service["name"])]);
      }
    }
  }
  return listIn(host, "ports")
    .filter(({ is_open }) => is_open === true)
    .map(({ id, number, protocol }) =>
      [`${number}/${protocol}`, ...(services.get(id) ?? [])].join(" "),
    );
}

/** Additional host fields: short forms of the host's children. */
export const shortened: Readonly<Record<string, (host: Json) => unknown>> = {
  ip: (host) => addressesOf(host)[0] ?? null,
  addresses: addressesOf,
  listens,
  versions: (host) =>
    listIn(host, "services").flatMap(({ name, version, is_open }) =>
      is_open === true && typeof version === "string" ? [`${name}: ${version}`] : [],
    ),
};

/** Host fields that are read only on request. */
const carried = [...Object.keys(shortened), "ip_addresses", "ports", "interfaces", "services"];

/** True if any of these fields needs the children of hosts. */
export const needChildren = (fields: readonly string[]): boolean =>
  fields.some((field) => carried.includes(field));

/** Truncates a list to {@link maximumListed} members. */
export const cut = (value: unknown): unknown =>
  Array.isArray(value) && value.length > maximumListed
    ? [...value.slice(0, maximumListed), `and ${value.length - maximumListed} more`]
    : value;

/** A field of a record, or its short form. */
export const fieldOf = (record: Json, field: string): unknown =>
  cut(
    Object.hasOwn(shortened, field)
      ? shortened[field]?.(record)
      : Object.hasOwn(record, field)
        ? record[field]
        : null,
  );

/** Formats records as a table: the names of the fields once, then a row per record. */
export const tableOf = (records: readonly Json[], fields: readonly string[]) => ({
  columns: fields,
  rows: records.map((record) => fields.map((field) => fieldOf(record, field))),
});

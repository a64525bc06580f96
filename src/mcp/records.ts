import { isObject, type Json } from "./protocol.ts";

/** At most so many members of a list are shown; the rest is counted. */
const maximumListed = 100;

const listIn = (record: Json, name: string): Json[] => {
  const list = record[name];
  return Array.isArray(list) ? list.filter(isObject) : [];
};

const addressesOf = (host: Json): unknown[] =>
  listIn(host, "ip_addresses").map(({ ip_address }) => ip_address);

/** What listens on a host: each open port with the services that are bound to it, such as `443/Tcp nginx`. */
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

/** Fields that hosts have here beyond their own: what they carry, in short. */
export const shortened: Readonly<Record<string, (host: Json) => unknown>> = {
  ip: (host) => addressesOf(host)[0] ?? null,
  addresses: addressesOf,
  listens,
  versions: (host) =>
    listIn(host, "services").flatMap(({ name, version, is_open }) =>
      is_open === true && typeof version === "string" ? [`${name}: ${version}`] : [],
    ),
};

/** The fields of hosts that are read only where they are asked for. */
const carried = [...Object.keys(shortened), "ip_addresses", "ports", "interfaces", "services"];

/** Whether any of these fields needs what hosts carry. */
export const needChildren = (fields: readonly string[]): boolean =>
  fields.some((field) => carried.includes(field));

/** A list without its members beyond {@link maximumListed}. */
export const cut = (value: unknown): unknown =>
  Array.isArray(value) && value.length > maximumListed
    ? [...value.slice(0, maximumListed), `and ${value.length - maximumListed} more`]
    : value;

/** A field of a record, as it is or in short. */
export const fieldOf = (record: Json, field: string): unknown =>
  cut(
    Object.hasOwn(shortened, field)
      ? shortened[field]?.(record)
      : Object.hasOwn(record, field)
        ? record[field]
        : null,
  );

/** Records as a table: the names of fields once, then a row for each. */
export const tableOf = (records: readonly Json[], fields: readonly string[]) => ({
  columns: fields,
  rows: records.map((record) => fields.map((field) => fieldOf(record, field))),
});

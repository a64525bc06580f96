import { uuidV7 } from "../../uuid.ts";
import type { SentVirtualization } from "../guards/virtualization.ts";
import type { WrittenRow } from "../writes/child-rows.ts";
import { addressRow } from "../writes/child-tables.ts";
import type { HostInput } from "./input.ts";

/** A host as it was sent, with its id. Without a network it lies in that of the stored one. */
type SentHost = Omit<HostInput, "network_id"> & { id: string; network_id?: string | undefined };

/** A host that is to be written, its children flat, each with its id. Null: the children stay. */
export interface HostTree {
  host: SentHost;
  ip_addresses: WrittenRow[] | null;
  ports: WrittenRow[] | null;
  interfaces: (WrittenRow & { ip_address_ids: readonly string[] })[] | null;
  services:
    | (WrittenRow & { tags: readonly string[] } & Pick<SentVirtualization, "virtualization">)[]
    | null;
  /** The bindings of services that were sent with theirs, and those services. */
  bindings: {
    services: string[];
    /** Where the fields of each stand in the host: `services[0].bindings[1].`. */
    paths: string[];
    rows: (WrittenRow & { port_id: string | null; ip_address_id: string | null })[];
  };
}

const identified = <Row extends { id?: string | undefined }>(row: Row) => ({
  ...row,
  id: row.id ?? uuidV7(),
});

/** What a request says of a host, in the form that is written. */
export function treeOf(host: SentHost): HostTree {
  const host_id = host.id;
  const services = host.services?.map(identified);
  return {
    host,
    ip_addresses:
      host.ip_addresses?.map(identified).map((address) => ({ ...addressRow(address), host_id })) ??
      null,
    ports: host.ports?.map(identified).map((port) => ({ ...port, host_id })) ?? null,
    interfaces: host.interfaces?.map(identified).map((one) => ({ ...one, host_id })) ?? null,
    services:
      services?.map((service) => ({
        ...service,
        host_id,
        service_definition: service.service_definition ?? service.name,
      })) ?? null,
    bindings: {
      services: services?.flatMap(({ id, bindings }) => (bindings ? [id] : [])) ?? [],
      paths:
        services?.flatMap(({ bindings = [] }, index) =>
          bindings.map((_, at) => `services[${index}].bindings[${at}].`),
        ) ?? [],
      rows:
        services?.flatMap(({ id, bindings }) =>
          (bindings ?? []).map(identified).map((binding) => ({ ...binding, service_id: id })),
        ) ?? [],
    },
  };
}

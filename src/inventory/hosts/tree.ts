import { uuidV7 } from "../../uuid.ts";
import type { SentVirtualization } from "../guards/virtualization.ts";
import type { WrittenRow } from "../writes/child-rows.ts";
import { addressRow } from "../writes/child-tables.ts";
import type { HostReplacement } from "./input.ts";

/**
 * A host in a request, with its id. If its network is omitted, it is on the network of the stored
 * host.
 */
type RequestHost = Omit<HostReplacement, "expected_updated_at"> & { id: string };

/**
 * A host to write, with flat lists of children, each with its id. If a list is null, the children
 * are kept.
 */
export interface HostTree {
  host: RequestHost;
  ip_addresses: WrittenRow[] | null;
  ports: WrittenRow[] | null;
  interfaces: (WrittenRow & { ip_address_ids: readonly string[] })[] | null;
  services:
    | (WrittenRow & { tags: readonly string[]; external_id: string | null } & Pick<
          SentVirtualization,
          "virtualization"
        >)[]
    | null;
  /** The services whose bindings are in the request, and those bindings. */
  bindings: {
    services: string[];
    /** The prefix of each binding's fields in the host, such as `services[0].bindings[1].`. */
    paths: string[];
    rows: (WrittenRow & { port_id: string | null; ip_address_id: string | null })[];
  };
}

const identified = <Row extends { id?: string | undefined }>(row: Row) => ({
  ...row,
  id: row.id ?? uuidV7(),
});

/** Converts a host in a request to the form in which it is written. */
export function treeOf(host: RequestHost): HostTree {
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

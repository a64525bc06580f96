import { type Guard, missingReferences, type PathOf } from "../../database/guards.ts";

/** Rejects records of a host that does not exist for the caller. */
export const missingHosts = (records: readonly { host_id: string }[], pathOf: PathOf): Guard[] =>
  missingReferences(
    "Host",
    records.map(({ host_id: id }, position) => ({ id, field: `${pathOf(position)}host_id` })),
  );

/** Rejects bindings of a service that does not exist for the caller. */
export const missingServices = (
  bindings: readonly { service_id: string }[],
  pathOf: PathOf,
): Guard[] =>
  missingReferences(
    "Service",
    bindings.map(({ service_id: id }, position) => ({
      id,
      field: `${pathOf(position)}service_id`,
    })),
  );

/** Rejects neighbors of an interface that does not exist for the caller. */
export const missingInterfaces = (
  neighbors: readonly { interface_id: string }[],
  pathOf: PathOf,
): Guard[] =>
  missingReferences(
    "Interface",
    neighbors.map(({ interface_id: id }, position) => ({
      id,
      field: `${pathOf(position)}interface_id`,
    })),
  );

/** Rejects addresses in a subnet that does not exist for the caller. */
export const missingSubnets = (
  addresses: readonly { subnet_id?: string | null | undefined }[],
  pathOf: PathOf,
): Guard[] =>
  missingReferences(
    "Subnet",
    addresses.flatMap(({ subnet_id: id }, position) =>
      id ? [{ id, field: `${pathOf(position)}subnet_id` }] : [],
    ),
  );

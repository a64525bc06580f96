import { type Guard, missingReferences, type PathOf } from "../../database/guards.ts";

/** A record belongs to a host that does not exist for the caller. */
export const missingHosts = (sent: readonly { host_id: string }[], pathOf: PathOf): Guard[] =>
  missingReferences(
    "Host",
    sent.map(({ host_id: id }, position) => ({ id, field: `${pathOf(position)}host_id` })),
  );

/** A binding belongs to a service that does not exist for the caller. */
export const missingServices = (sent: readonly { service_id: string }[], pathOf: PathOf): Guard[] =>
  missingReferences(
    "Service",
    sent.map(({ service_id: id }, position) => ({ id, field: `${pathOf(position)}service_id` })),
  );

/** An address lies in a subnet that does not exist for the caller. */
export const missingSubnets = (
  sent: readonly { subnet_id?: string | null | undefined }[],
  pathOf: PathOf,
): Guard[] =>
  missingReferences(
    "Subnet",
    sent.flatMap(({ subnet_id: id }, position) =>
      id ? [{ id, field: `${pathOf(position)}subnet_id` }] : [],
    ),
  );

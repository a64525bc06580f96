import type { Samples } from "../../helpers/operations.ts";
import type { PopulatedOrganization } from "../../helpers/populated-organization.ts";

let made = 0;

/** A new port each time, because a port cannot be created twice. */
const port = ({ records }: PopulatedOrganization) => {
  made += 1;
  return { host_id: records.hosts, number: 10_000 + made, protocol: "Tcp" };
};

export const samples: Samples = {
  "POST /api/v1/ports": port,
  "POST /api/v1/ports/bulk": (organization) => [port(organization), port(organization)],
  "POST /api/v1/ports/bulk-delete": ({ records }) => [records.ports],
  "PUT /api/v1/ports/:id": port,
};

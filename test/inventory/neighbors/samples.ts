import type { Samples } from "../../helpers/operations.ts";
import type { PopulatedOrganization } from "../../helpers/populated-organization.ts";

let made = 0;

/**
 * A neighbor with a new chassis each time, because an interface cannot have the same neighbor
 * twice.
 */
const oneMore = ({ records }: PopulatedOrganization) => {
  made += 1;
  return {
    interface_id: records.interfaces,
    protocol: "Lldp",
    chassis_id: { subtype: "LocallyAssigned", value: `chassis ${made}` },
    system_name: `switch${made}`,
  };
};

export const samples: Samples = {
  "POST /api/v1/neighbors": oneMore,
  "POST /api/v1/neighbors/bulk": (organization) => [oneMore(organization), oneMore(organization)],
  "PUT /api/v1/neighbors/:id": oneMore,
};

import type { Samples } from "../../helpers/operations.ts";
import type { PopulatedOrganization } from "../../helpers/populated-organization.ts";

let made = 0;

/** A binding to a new port each time, because a port on an address can have only one binding. */
const binding = ({ records, free_port_ids }: PopulatedOrganization) => {
  made += 1;
  return {
    type: "Port",
    service_id: records.services,
    port_id: free_port_ids[made % free_port_ids.length],
    ip_address_id: records["ip-addresses"],
  };
};

export const samples: Samples = {
  "POST /api/v1/bindings": binding,
  "POST /api/v1/bindings/bulk": (organization) => [binding(organization), binding(organization)],
  "POST /api/v1/bindings/bulk-delete": ({ records }) => [records.bindings],
  "PUT /api/v1/bindings/:id": binding,
};

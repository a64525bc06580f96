import type { Samples } from "../../helpers/operations.ts";
import type { PopulatedOrganization } from "../../helpers/populated-organization.ts";

let made = 0;

/** A new block each time, because a block cannot be created twice. */
const subnet = ({ records }: PopulatedOrganization) => {
  made += 1;
  return {
    network_id: records.networks,
    cidr: `10.${made >> 8}.${made & 255}.0/24`,
    name: "After",
    description: "Changed",
    subnet_type: "Dmz",
    tags: [records.tags],
  };
};

export const samples: Samples = {
  "POST /api/v1/subnets": subnet,
  "POST /api/v1/subnets/bulk": (organization) => [subnet(organization), subnet(organization)],
  "POST /api/v1/subnets/bulk-delete": ({ records }) => [records.subnets],
  "PUT /api/v1/subnets/:id": subnet,
  "POST /api/v1/subnets/:id/available-ips": ({ records }) => ({ host_id: records.hosts }),
};

import type { Samples } from "../../helpers/operations.ts";
import type { PopulatedOrganization } from "../../helpers/populated-organization.ts";

let made = 0;

/** A new address each time, because an address cannot be created twice. */
const address = ({ records }: PopulatedOrganization) => {
  made = (made + 1) % 250;
  return {
    host_id: records.hosts,
    subnet_id: records.subnets,
    ip_address: `198.51.100.${made + 1}`,
    mac_address: "00:00:5E:00:53:01",
    name: "After",
    position: 1,
  };
};

export const samples: Samples = {
  "POST /api/v1/ip-addresses": address,
  "POST /api/v1/ip-addresses/bulk": (organization) => [
    address(organization),
    address(organization),
  ],
  "POST /api/v1/ip-addresses/bulk-delete": ({ records }) => [records["ip-addresses"]],
  "PUT /api/v1/ip-addresses/:id": address,
};

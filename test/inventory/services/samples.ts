import type { Samples } from "../../helpers/operations.ts";
import type { PopulatedOrganization } from "../../helpers/populated-organization.ts";

const service = ({ records }: PopulatedOrganization) => ({
  host_id: records.hosts,
  name: "After",
  service_definition: "Changed",
  version: "Changed 2",
  tags: [records.tags],
});

export const samples: Samples = {
  "POST /api/v1/services": service,
  "POST /api/v1/services/bulk": (organization) => [service(organization), service(organization)],
  "POST /api/v1/services/bulk-delete": ({ records }) => [records.services],
  "PUT /api/v1/services/:id": service,
};

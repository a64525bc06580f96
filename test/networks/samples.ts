import type { Samples } from "../helpers/operations.ts";
import type { PopulatedOrganization } from "../helpers/populated-organization.ts";

const network = ({ records }: PopulatedOrganization) => ({
  name: "After",
  description: "Changed",
  tags: [records.tags],
  credential_ids: [records.credentials],
});

export const samples: Samples = {
  "POST /api/v1/networks": network,
  "POST /api/v1/networks/bulk": (organization) => [network(organization), { name: "Another" }],
  "POST /api/v1/networks/bulk-delete": () => [crypto.randomUUID()],
  "PUT /api/v1/networks/:id": network,
};

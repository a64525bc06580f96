import { inline, sentSecret, updateOf } from "../helpers/credentials.ts";
import type { Samples } from "../helpers/operations.ts";
import type { PopulatedOrganization } from "../helpers/populated-organization.ts";

const credential = ({ id }: PopulatedOrganization) =>
  updateOf(id, {
    name: "After",
    credential_type: { type: "SnmpV1", community: inline(sentSecret) },
  });

export const samples: Samples = {
  "POST /api/v1/credentials": credential,
  "POST /api/v1/credentials/bulk": (organization) => [
    credential(organization),
    credential(organization),
  ],
  "POST /api/v1/credentials/bulk-delete": ({ records }) => [records.credentials],
  "PUT /api/v1/credentials/:id": credential,
  "PUT /api/v1/credentials/by-external-id/:external_id": credential,
};

import type { Samples } from "../../helpers/operations.ts";
import type { PopulatedOrganization } from "../../helpers/populated-organization.ts";

let made = 0;

/** An interface with a new number each time, because a host cannot have the same number twice. */
const oneMore = ({ network }: PopulatedOrganization) => {
  made += 1;
  return { host_id: network.host_id, if_index: 10_000 + made, name: `eth${made}` };
};

export const samples: Samples = {
  "POST /api/v1/interfaces": oneMore,
  "POST /api/v1/interfaces/bulk": (organization) => [oneMore(organization), oneMore(organization)],
  "PUT /api/v1/interfaces/:id": oneMore,
};

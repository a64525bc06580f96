import { type CreateOptions, createMany, createOne } from "../http/verbs/create.ts";
import { networkInput } from "./input.ts";
import { networkResource } from "./model.ts";
import { foreignReferences, insertNetworks, networkLocks, violations } from "./sql.ts";

const options: CreateOptions<typeof networkInput, "entity_reference_invalid"> = {
  role: "Admin",
  scope: "organization",
  body: networkInput,
  errors: ["entity_reference_invalid"],
  violations,
  create: (_, networks, pathOf) => ({
    locks: networkLocks([], networks),
    guards: foreignReferences(networks, pathOf),
    write: (database) => insertNetworks(database, networks, pathOf),
  }),
};

/** POST /api/v1/networks: creates a network. */
export const createNetwork = createOne(networkResource, options);

/** POST /api/v1/networks/bulk: creates 1 to 100 networks, all or nothing. */
export const createNetworks = createMany(networkResource, options);

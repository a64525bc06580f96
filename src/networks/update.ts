import { update } from "../http/verbs/update.ts";
import { networkInput } from "./input.ts";
import { networkResource } from "./model.ts";
import { foreignReferences, networkLocks, replaceNetwork, violations } from "./sql.ts";

/** PUT /api/v1/networks/{id}: replaces a network as a whole. */
export const updateNetwork = update(networkResource, {
  role: "Admin",
  scope: "organization",
  body: networkInput,
  errors: ["entity_reference_invalid"],
  violations,
  update: (_, id, network) => ({
    locks: networkLocks([id], [network]),
    guards: foreignReferences([network], () => "body."),
    write: (database) => replaceNetwork(database, id, network),
  }),
});

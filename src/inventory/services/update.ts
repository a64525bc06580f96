import { boundsWithChildren } from "../../http/large-bodies.ts";
import { update } from "../../http/verbs/update.ts";
import { otherOwner } from "../owner.ts";
import { violations } from "../violations.ts";
import { serviceInput } from "./input.ts";
import { serviceResource } from "./model.ts";
import { foreignReferences, replaceService } from "./sql.ts";

/** PUT /api/v1/services/{id}: replaces a service; bindings that are sent become exactly its own. */
export const updateService = update(serviceResource, {
  role: "Member",
  scope: "networks",
  body: serviceInput,
  bounds: boundsWithChildren,
  errors: ["entity_reference_invalid", "entity_already_exists", "binding_conflict"],
  violations,
  update: (_, id, service) => ({
    guards: [
      otherOwner("services", "host_id", id, service.host_id),
      ...foreignReferences([{ ...service, id }], () => "body."),
    ],
    write: (database) => replaceService(database, { ...service, id }),
  }),
});

import { boundsWithChildren } from "../../http/large-bodies.ts";
import { type CreateOptions, createMany, createOne } from "../../http/verbs/create.ts";
import { bindingIds } from "../child-ids.ts";
import { violations } from "../violations.ts";
import { serviceInput } from "./input.ts";
import { serviceResource } from "./model.ts";
import { foreignReferences, insertServices } from "./sql.ts";

const options: CreateOptions<
  typeof serviceInput,
  "entity_reference_invalid" | "entity_already_exists" | "binding_conflict"
> = {
  role: "Member",
  scope: "networks",
  body: serviceInput,
  bounds: boundsWithChildren,
  errors: ["entity_reference_invalid", "entity_already_exists", "binding_conflict"],
  violations,
  childIds: bindingIds,
  create: (_, sent, pathOf) => ({
    guards: foreignReferences(sent, pathOf),
    write: (database) => insertServices(database, sent),
  }),
};

/** POST /api/v1/services: creates a service with its bindings. */
export const createService = createOne(serviceResource, options);

/** POST /api/v1/services/bulk: creates 1 to 100 services, all or nothing. */
export const createServices = createMany(serviceResource, options);

import { type CreateOptions, createMany, createOne } from "../../http/verbs/create.ts";
import { violations } from "../violations.ts";
import { hostInput } from "./input.ts";
import { hostResource } from "./model.ts";
import { foreignReferences, insertHosts, treeOf } from "./sql.ts";

const options: CreateOptions<
  typeof hostInput,
  "entity_reference_invalid" | "entity_already_exists" | "binding_conflict"
> = {
  role: "Member",
  scope: "networks",
  body: hostInput,
  errors: ["entity_reference_invalid", "entity_already_exists", "binding_conflict"],
  violations,
  create: (_, sent, pathOf) => {
    const trees = sent.map(treeOf);
    return {
      guards: foreignReferences(trees, pathOf),
      write: (database) => insertHosts(database, trees),
    };
  },
};

/** POST /api/v1/hosts: creates a host with its children, in one transaction. */
export const createHost = createOne(hostResource, options);

/** POST /api/v1/hosts/bulk: creates 1 to 100 hosts with their children, all or nothing. */
export const createHosts = createMany(hostResource, options);

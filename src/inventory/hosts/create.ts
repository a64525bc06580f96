import { boundsWithChildren } from "../../http/large-bodies.ts";
import { type CreateOptions, createMany, createOne } from "../../http/verbs/create.ts";
import { childIds } from "../child-ids.ts";
import { violations } from "../violations.ts";
import {
  assignmentGuards,
  assignmentViolations,
  replaceAssignments,
} from "./credential-assignments.ts";
import { hostInput } from "./input.ts";
import { hostResource } from "./model.ts";
import { foreignReferences } from "./references.ts";
import { insertHosts } from "./sql.ts";
import { takenKeys } from "./taken-keys.ts";
import { treeOf } from "./tree.ts";

const options: CreateOptions<
  typeof hostInput,
  "auth_scope_denied" | "entity_reference_invalid" | "entity_already_exists" | "binding_conflict"
> = {
  role: "Member",
  scope: "networks",
  body: hostInput,
  bounds: boundsWithChildren,
  errors: [
    "auth_scope_denied",
    "entity_reference_invalid",
    "entity_already_exists",
    "binding_conflict",
  ],
  violations: { ...violations, ...assignmentViolations },
  childIds,
  create: (_, sent, pathOf) => {
    const trees = sent.map(treeOf);
    return {
      guards: [
        ...foreignReferences(trees, pathOf),
        ...takenKeys(trees, pathOf),
        ...assignmentGuards(trees, pathOf),
      ],
      write: (database) => [
        ...insertHosts(database, trees),
        ...replaceAssignments(database, trees),
      ],
    };
  },
};

/** POST /api/v1/hosts: creates a host with its children, in one transaction. */
export const createHost = createOne(hostResource, options);

/** POST /api/v1/hosts/bulk: creates 1 to 100 hosts with their children, all or nothing. */
export const createHosts = createMany(hostResource, options);

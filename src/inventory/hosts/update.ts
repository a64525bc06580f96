import { boundsWithChildren } from "../../http/large-bodies.ts";
import { update } from "../../http/verbs/update.ts";
import { violations } from "../violations.ts";
import {
  assignmentGuards,
  assignmentViolations,
  replaceAssignments,
} from "./credential-assignments.ts";
import { hostInput } from "./input.ts";
import { hostResource } from "./model.ts";
import { foreignReferences } from "./references.ts";
import { otherNetwork, replaceHost } from "./sql.ts";
import { takenKeys } from "./taken-keys.ts";
import { treeOf } from "./tree.ts";

/** PUT /api/v1/hosts/{id}: replaces a host; children that are sent become exactly its children. */
export const updateHost = update(hostResource, {
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
  update: (_, id, host) => {
    const tree = treeOf({ ...host, id });
    return {
      guards: [
        otherNetwork({ ...host, id }),
        ...foreignReferences([tree], () => "body."),
        ...takenKeys([tree], () => "body."),
        ...assignmentGuards([tree], () => "body."),
      ],
      write: (database) => [
        ...replaceHost(database, tree),
        ...replaceAssignments(database, [tree]),
      ],
    };
  },
});

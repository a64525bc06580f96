import { sql } from "drizzle-orm";
import { updatedSince } from "../../database/guards.ts";
import { inventoryViolations } from "../../database/inventory-violations.ts";
import { tooMuchOnHosts } from "../../database/large-deletion.ts";
import { lock, lockHosts } from "../../database/locks.ts";
import { hosts } from "../../database/tables/index.ts";
import { boundsWithChildren } from "../../http/body/large-bodies.ts";
import { cidr, ipAddress, macAddress } from "../../http/input/network.ts";
import { filter, searches } from "../../http/list/filter.ts";
import { lists } from "../../http/list/list.ts";
import { creates } from "../../http/verbs/create.ts";
import { deletesMany, deletesOne, noQuery } from "../../http/verbs/delete.ts";
import { patchesMany } from "../../http/verbs/patch-many.ts";
import { reads } from "../../http/verbs/read.ts";
import { updates } from "../../http/verbs/update.ts";
import { upserts } from "../../http/verbs/upsert.ts";
import { childIds } from "../child-ids.ts";
import { hasExternalId, inventoryFilters, named } from "../filters.ts";
import { foundHosts, isWithin } from "../search.ts";
import {
  assignmentGuards,
  assignmentViolations,
  replaceAssignments,
} from "./credential-assignments.ts";
import { hostFilters } from "./filters.ts";
import { hostInput, hostReplacement } from "./input.ts";
import { hostResource } from "./model.ts";
import { foreignReferences } from "./references.ts";
import { hasAddress } from "./search.ts";
import {
  hasOnlyOwnFields,
  insertChildren,
  insertHosts,
  otherNetwork,
  replaceChildren,
  stillUsed,
  updateHost,
} from "./sql.ts";
import { takenKeys } from "./taken-keys.ts";
import { treeOf } from "./tree.ts";

/** GET /api/v1/hosts: lists hosts with their children, live or at an instant. */
export const list = lists(hostResource, {
  ...inventoryFilters(hosts),
  ...hostFilters,
  name: named("hosts", hosts),
  external_id: hasExternalId(hosts),
  ip: filter(ipAddress, (address, versions) =>
    hasAddress(sql`own.address = ${address}::inet`, versions),
  ),
  cidr: filter(cidr, (block, versions) => hasAddress(isWithin(sql`own.address`, block), versions)),
  mac: filter(macAddress, (mac, versions) =>
    hasAddress(sql`own.mac_address = ${mac}::macaddr`, versions),
  ),
  q: searches(foundHosts),
});

/** GET /api/v1/hosts/{id}: reads one host with its children. */
export const read = reads(hostResource);

/**
 * POST /api/v1/hosts: creates a host with its children, in one transaction.
 * POST /api/v1/hosts/bulk: creates 1 to 100 hosts with their children, all or nothing.
 */
export const [create, createMany, creation] = creates(hostResource, {
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
  violations: { ...inventoryViolations, ...assignmentViolations },
  childIds,
  create: (_, inputs, pathOf) => {
    const trees = inputs.map(treeOf);
    return {
      guards: [
        ...foreignReferences(trees, pathOf),
        ...takenKeys(trees, pathOf),
        ...assignmentGuards(trees, pathOf),
      ],
      writeIf: (passed) => insertHosts(trees, passed),
      write: (database) => [
        ...insertChildren(database, trees),
        ...replaceAssignments(database, trees),
      ],
    };
  },
});

/**
 * PUT /api/v1/hosts/{id}: replaces a host. Lists of children in the body replace its children.
 * PATCH /api/v1/hosts/{id}: changes the fields in the body.
 */
export const [update, patch, replacement] = updates(hostResource, {
  role: "Member",
  scope: "networks",
  body: hostReplacement,
  bounds: boundsWithChildren,
  kept: ["credential_assignments"],
  errors: [
    "auth_scope_denied",
    "entity_reference_invalid",
    "entity_already_exists",
    "binding_conflict",
  ],
  violations: { ...inventoryViolations, ...assignmentViolations },
  locksOfMany: (records) => {
    const ids = records.map(({ id }) => id);
    return [lock(hostResource, ids), lockHosts(ids)];
  },
  update: (_, id, { expected_updated_at, ...host }, path) => {
    const tree = treeOf({ ...host, id });
    const locksItself = expected_updated_at === undefined && hasOnlyOwnFields(tree);
    return {
      ...(locksItself && { locks: [] }),
      guards: [
        ...(expected_updated_at ? [updatedSince(hostResource, id, expected_updated_at)] : []),
        ...(host.network_id === undefined ? [] : [otherNetwork(id, host.network_id, path)]),
        ...foreignReferences([tree], () => path),
        ...takenKeys([tree], () => path),
        ...assignmentGuards([tree], () => path),
      ],
      writeIf: (passed) => updateHost(tree, passed),
      write: (database) => [
        ...replaceChildren(database, tree),
        ...replaceAssignments(database, [tree]),
      ],
    };
  },
});

/** PATCH /api/v1/hosts/bulk: changes fields of 1 to 100 hosts atomically. */
export const patchMany = patchesMany(hostResource, replacement);

/**
 * PUT /api/v1/hosts/by-external-id/{external_id}: creates or replaces the host with this
 * external id.
 */
export const upsert = upserts(hostResource, creation, replacement);

const deletion = {
  role: "Member",
  scope: "networks",
  isLong: true,
} as const;

/** DELETE /api/v1/hosts/{id}: deletes a host with its children. History is kept. */
export const deleteOne = deletesOne(hostResource, {
  ...deletion,
  errors: ["entity_in_use"],
  query: noQuery,
  guards: (ids) => [stillUsed(ids)],
});

/**
 * POST /api/v1/hosts/bulk-delete: deletes up to 1,000 hosts with their children, all or nothing.
 */
export const deleteMany = deletesMany(hostResource, {
  ...deletion,
  errors: ["entity_in_use", "deletion_too_large"],
  guards: (ids) => [stillUsed(ids), ...tooMuchOnHosts(ids)],
});

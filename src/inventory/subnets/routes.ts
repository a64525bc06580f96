import { sql } from "drizzle-orm";
import * as z from "zod";
import { externalIdsTaken } from "../../database/external-ids.ts";
import { isVersionOf, versionsAs } from "../../database/history.ts";
import { inventoryViolations } from "../../database/inventory-violations.ts";
import { tooMuchInSubnets } from "../../database/large-deletion.ts";
import { lock, lockHosts } from "../../database/locks.ts";
import { ownersOf } from "../../database/sets.ts";
import { subnets } from "../../database/tables/index.ts";
import { cidr, ipAddress } from "../../http/input/network.ts";
import { once } from "../../http/input/once.ts";
import { filter, ids, searches } from "../../http/list/filter.ts";
import { lists } from "../../http/list/list.ts";
import { creates } from "../../http/verbs/create.ts";
import { deletes } from "../../http/verbs/delete.ts";
import { patchesMany } from "../../http/verbs/patch-many.ts";
import { reads } from "../../http/verbs/read.ts";
import { updates } from "../../http/verbs/update.ts";
import { upserts } from "../../http/verbs/upsert.ts";
import { hasExternalId, inventoryFilters, named } from "../filters.ts";
import { otherOwner } from "../guards/other-owner.ts";
import { foundSubnets, holds, isInside } from "../search.ts";
import { subnetTags } from "../writes/tag-sets.ts";
import { subnetInput } from "./input.ts";
import { subnetResource } from "./model.ts";
import {
  blocksRepeated,
  blockTaken,
  foreignReferences,
  hostsIn,
  hostsLeaving,
  insertSubnets,
  replaceSubnet,
} from "./sql.ts";

/** GET /api/v1/subnets: lists the subnets of networks, live or at an instant. */
export const list = lists(subnetResource, {
  ...inventoryFilters(subnets),
  name: named("subnets", subnets),
  external_id: hasExternalId(subnets),
  tag_ids: filter(ids, (values, versions) =>
    isVersionOf(subnets, sql`in (${ownersOf(subnetTags, values, versions)})`, versions),
  ),
  cidr: filter(
    cidr,
    (block, versions) =>
      sql`${subnets.cidr} = network(${block}::inet) and ${versionsAs(subnets, versions)}`,
  ),
  contains: filter(
    z.union([ipAddress, cidr], once("must be an IP address or a block in CIDR notation")),
    (inner, versions) => sql`${holds(subnets.cidr, inner)} and ${versionsAs(subnets, versions)}`,
  ),
  within: filter(
    cidr,
    (block, versions) => sql`${isInside(subnets.cidr, block)} and ${versionsAs(subnets, versions)}`,
  ),
  q: searches(foundSubnets),
});

/** GET /api/v1/subnets/{id}: reads one live subnet. */
export const read = reads(subnetResource);

/**
 * POST /api/v1/subnets: creates a subnet.
 * POST /api/v1/subnets/bulk: creates 1 to 100 subnets, all or nothing.
 */
export const [create, createMany, creation] = creates(subnetResource, {
  role: "Member",
  scope: "networks",
  body: subnetInput,
  errors: ["entity_reference_invalid"],
  violations: inventoryViolations,
  create: (_, records, pathOf) => ({
    guards: [
      ...foreignReferences(records, pathOf),
      blocksRepeated(records, pathOf),
      blockTaken(records, pathOf),
      ...externalIdsTaken(subnetResource, records, pathOf),
    ],
    write: (database) => insertSubnets(database, records),
  }),
});

/**
 * PUT /api/v1/subnets/{id}: replaces a subnet.
 * PATCH /api/v1/subnets/{id}: changes the fields in the body.
 */
export const [update, patch, replacement] = updates(subnetResource, {
  role: "Member",
  scope: "networks",
  body: subnetInput,
  errors: ["entity_reference_invalid", "entity_already_exists", "entity_in_use"],
  violations: inventoryViolations,
  locksOfMany: (records) => [
    lock(
      subnetResource,
      records.map(({ id }) => id),
    ),
    lockHosts(hostsLeaving(records)),
  ],
  update: (_, id, subnet, path) => ({
    guards: [
      otherOwner(subnets, "network_id", id, subnet.network_id, path),
      ...foreignReferences([subnet], () => path),
      blockTaken([{ ...subnet, id }], () => path),
      ...externalIdsTaken(subnetResource, [{ ...subnet, id }], () => path),
    ],
    write: (database) => replaceSubnet(database, { ...subnet, id }),
  }),
});

/** PATCH /api/v1/subnets/bulk: changes fields of 1 to 100 subnets atomically. */
export const patchMany = patchesMany(subnetResource, replacement);

/**
 * PUT /api/v1/subnets/by-external-id/{external_id}: creates or replaces the subnet with this
 * external id.
 */
export const upsert = upserts(subnetResource, creation, replacement);

/**
 * DELETE /api/v1/subnets/{id}: deletes a subnet. History is kept.
 * POST /api/v1/subnets/bulk-delete: deletes up to 1,000 subnets, all or nothing.
 */
export const [deleteOne, deleteMany] = deletes(subnetResource, {
  role: "Member",
  scope: "networks",
  errors: ["entity_in_use", "deletion_too_large"],
  locks: (ids: readonly string[]) => [lock(subnetResource, ids), lockHosts(hostsIn(ids))],
  guards: (ids: readonly string[]) => [tooMuchInSubnets(ids)],
  // A deletion writes all addresses in the subnet.
  isLong: true,
});

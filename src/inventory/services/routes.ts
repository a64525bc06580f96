import { sql } from "drizzle-orm";
import { isVersionOf, partsOf, versionsAs } from "../../database/history.ts";
import { ownersOf } from "../../database/sets.ts";
import { services } from "../../database/tables/index.ts";
import { boundsWithChildren } from "../../http/body/large-bodies.ts";
import { id } from "../../http/input/id.ts";
import { repeated } from "../../http/input/repeated.ts";
import { textOf } from "../../http/input/text.ts";
import { filter, ids, searches } from "../../http/list/filter.ts";
import { lists } from "../../http/list/list.ts";
import { creates } from "../../http/verbs/create.ts";
import { deletes } from "../../http/verbs/delete.ts";
import { reads } from "../../http/verbs/read.ts";
import { updates } from "../../http/verbs/update.ts";
import { bindingIds } from "../child-ids.ts";
import { inventoryFilters, named } from "../filters.ts";
import { otherOwner } from "../guards/other-owner.ts";
import { openFilter } from "../is-open.ts";
import { foundServices, portText } from "../search.ts";
import { serviceTags } from "../writes/tag-sets.ts";
import { violations } from "../writes/violations.ts";
import { serviceInput } from "./input.ts";
import { serviceResource } from "./model.ts";
import { foreignReferences, insertServices, replaceService } from "./sql.ts";

/** Categories of services. Only that of ports which no service claims is known here. */
const categories = repeated(textOf(1, 100), 100, { type: "string", minLength: 1, maxLength: 100 });

/** GET /api/v1/services: the services of hosts with their bindings, live or as of an instant. */
export const list = lists(serviceResource, {
  ...inventoryFilters(services),
  name: named("services", services),
  host_id: filter(id, (host, at) => partsOf(services, "host_id", sql`${host}`, at), {
    findsFirst: true,
  }),
  tag_ids: filter(ids, (wanted, at) =>
    isVersionOf(services, sql`in (${ownersOf(serviceTags, wanted, at)})`, at),
  ),
  port: filter(portText, ({ number, protocol }, at) =>
    isVersionOf(
      services,
      sql`in (select binding.service_id from ports as port
      join bindings as binding on binding.port_id = port.live_id and ${versionsAs("binding", at)}
      where port.number = ${number} and ${versionsAs("port", at)}${
        protocol === null ? sql`` : sql` and port.protocol = ${protocol}`
      })`,
      at,
    ),
  ),
  is_open: openFilter("service_id", services.live_id),
  exclude_categories: filter(categories, (excluded) =>
    excluded.includes("OpenPorts")
      ? sql`not app.is_unclaimed(${services.service_definition})`
      : sql`true`,
  ),
  q: searches(foundServices),
});

/** GET /api/v1/services/{id}: one, live. */
export const read = reads(serviceResource);

/**
 * POST /api/v1/services: creates a service with its bindings.
 * POST /api/v1/services/bulk: creates 1 to 100 services, all or nothing.
 */
export const [create, createMany] = creates(serviceResource, {
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
});

/**
 * PUT /api/v1/services/{id}: replaces a service; bindings that are sent become exactly its own.
 * PATCH /api/v1/services/{id}: changes the fields that are sent.
 */
export const [update, patch] = updates(serviceResource, {
  role: "Member",
  scope: "networks",
  body: serviceInput,
  bounds: boundsWithChildren,
  errors: ["entity_reference_invalid", "entity_already_exists", "binding_conflict"],
  violations,
  update: (_, id, service) => ({
    guards: [
      otherOwner(services, "host_id", id, service.host_id),
      ...foreignReferences([{ ...service, id }], () => "body."),
    ],
    write: (database) => replaceService(database, { ...service, id }),
  }),
});

/**
 * DELETE /api/v1/services/{id}: ends one; history stays.
 * POST /api/v1/services/bulk-delete: ends up to 1,000, all or nothing.
 */
export const [deleteOne, deleteMany] = deletes(serviceResource, {
  role: "Member",
  scope: "networks",
  errors: [],
});

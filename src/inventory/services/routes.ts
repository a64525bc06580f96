import { sql } from "drizzle-orm";
import { isVersionOf, partsOf, versionsAs } from "../../database/history.ts";
import { ownersOf } from "../../database/sets.ts";
import { bindings, ports, services } from "../../database/tables/index.ts";
import { boundsWithChildren } from "../../http/body/large-bodies.ts";
import { id } from "../../http/input/id.ts";
import { repeated } from "../../http/input/repeated.ts";
import { textOf } from "../../http/input/text.ts";
import { filter, ids, searches } from "../../http/list/filter.ts";
import { lists } from "../../http/list/list.ts";
import { upserts } from "../../http/verbs/upsert.ts";
import { bindingIds } from "../child-ids.ts";
import { hasExternalId, inventoryFilters, named } from "../filters.ts";
import { openFilter } from "../is-open.ts";
import { partRoutes } from "../part-routes.ts";
import { foundServices, isPort, portText } from "../search.ts";
import { serviceTable } from "../writes/child-tables.ts";
import { serviceTags } from "../writes/tag-sets.ts";
import { serviceInput } from "./input.ts";
import { serviceResource } from "./model.ts";
import { insertServices, replaceService, serviceGuards } from "./sql.ts";

/** Service categories. Only `OpenPorts`, for ports that no service claims, has an effect. */
const categories = repeated(textOf(1, 100), 100, { type: "string", minLength: 1, maxLength: 100 });

/** GET /api/v1/services: lists services with their bindings, live or at an instant. */
export const list = lists(serviceResource, {
  ...inventoryFilters(services),
  name: named("services", services),
  external_id: hasExternalId(services),
  host_id: filter(id, (host, versions) => partsOf(services, "host_id", sql`${host}`, versions), {
    findsFirst: true,
  }),
  tag_ids: filter(ids, (values, versions) =>
    isVersionOf(services, sql`in (${ownersOf(serviceTags, values, versions)})`, versions),
  ),
  port: filter(portText, (port, versions) =>
    isVersionOf(
      services,
      sql`in (select binding.service_id from ${ports} as port
      join ${bindings} as binding on binding.port_id = port.live_id and ${versionsAs("binding", versions)}
      where ${isPort(port)} and ${versionsAs("port", versions)})`,
      versions,
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

const { creation, replacement, ...routes } = partRoutes(serviceResource, {
  table: serviceTable,
  body: serviceInput,
  bounds: boundsWithChildren,
  errors: ["entity_reference_invalid", "entity_already_exists", "binding_conflict"],
  childIds: bindingIds,
  guards: serviceGuards,
  insert: insertServices,
  // Bindings in the body replace those of the service.
  replace: replaceService,
});

/**
 * PUT /api/v1/services/by-external-id/{external_id}: creates or replaces the service with this
 * external id.
 */
export const upsert = upserts(serviceResource, creation, replacement);

/** The other operations on /api/v1/services. */
export const { read, create, createMany, update, patch, patchMany, deleteOne, deleteMany } = routes;

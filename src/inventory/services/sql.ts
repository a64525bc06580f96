import type { Database } from "../../database/connection.ts";
import { externalIdsTaken } from "../../database/external-ids.ts";
import { type Guard, missingReferences, type PathOf } from "../../database/guards.ts";
import { addAnyMembers, replaceMembers } from "../../database/sets.ts";
import { uuidV7 } from "../../uuid.ts";
import { strangeToHosts } from "../guards/binding-references.ts";
import { missingHosts } from "../guards/missing-parents.ts";
import { takenIds } from "../guards/taken-ids.ts";
import { missingVirtualizationServices } from "../guards/virtualization.ts";
import { insertAnyRows, insertRows, syncRows, updateRow } from "../writes/child-rows.ts";
import { bindingTable, serviceTable } from "../writes/child-tables.ts";
import { serviceTags } from "../writes/tag-sets.ts";
import type { ServiceInput } from "./input.ts";
import { serviceResource } from "./model.ts";

type NewService = ServiceInput & { id: string };

const serviceRow = (service: NewService) => ({
  ...service,
  service_definition: service.service_definition ?? service.name,
});

const bindingRows = ({ id: service_id, bindings = [] }: NewService) =>
  bindings.map((binding) => ({ ...binding, id: binding.id ?? uuidV7(), service_id }));

const located = ({ id, host_id, virtualization }: NewService) => ({ id, host_id, virtualization });

/**
 * Rejects references from services to records that are missing or belong to other owners, and
 * external ids that are taken.
 */
export const serviceGuards = (services: readonly NewService[], pathOf: PathOf): Guard[] => [
  ...missingHosts(services, pathOf),
  ...missingVirtualizationServices(
    services.map((service, position) => ({ ...located(service), path: pathOf(position) })),
    { sent: services.map(located), replacedHosts: [] },
  ),
  ...strangeToHosts(
    services.map(({ host_id, bindings = [] }, position) => ({
      host_id,
      sent: bindings.map((binding, at) => ({
        ...binding,
        path: `${pathOf(position)}bindings[${at}].`,
      })),
      ports: null,
      ip_addresses: null,
    })),
  ),
  ...takenIds(
    bindingTable,
    services.map(({ id }) => id),
    services.flatMap(({ bindings = [] }, position) =>
      bindings.flatMap(({ id }, at) =>
        id === undefined ? [] : [{ id, field: `${pathOf(position)}bindings[${at}].id` }],
      ),
    ),
  ),
  ...missingReferences(
    "Tag",
    services.flatMap((service, position) =>
      service.tags.map((id) => ({ id, field: `${pathOf(position)}tags` })),
    ),
  ),
  ...externalIdsTaken(serviceResource, services, pathOf),
];

/** Inserts services with their bindings. */
export const insertServices = (database: Database, services: readonly NewService[]) => [
  insertRows(database, serviceTable, services.map(serviceRow)),
  ...insertAnyRows(database, bindingTable, services.flatMap(bindingRows)),
  ...addAnyMembers(
    database,
    serviceTags,
    services.flatMap(({ id, tags: members }) => members.map((member) => ({ owner: id, member }))),
  ),
];

/** Replaces a locked service. Bindings in the request replace its bindings. */
export const replaceService = (database: Database, service: NewService) => [
  updateRow(database, serviceTable, serviceRow(service)),
  replaceMembers(database, serviceTags, service.id, service.tags),
  ...(service.bindings ? syncRows(database, bindingTable, [service.id], bindingRows(service)) : []),
];

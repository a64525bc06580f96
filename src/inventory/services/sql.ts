import type { Database } from "../../database/connection.ts";
import { type Guard, missingReferences, type PathOf } from "../../database/guards.ts";
import { addMembers, replaceMembers } from "../../database/sets.ts";
import { uuidV7 } from "../../uuid.ts";
import { strangeToHosts } from "../guards/binding-references.ts";
import { missingHosts } from "../guards/missing-parents.ts";
import { takenIds } from "../guards/taken-ids.ts";
import { missingVirtualizationServices } from "../guards/virtualization.ts";
import { insertRows, syncRows, updateRow } from "../writes/child-rows.ts";
import { bindingTable, serviceTable } from "../writes/child-tables.ts";
import { serviceTags } from "../writes/tag-sets.ts";
import type { ServiceInput } from "./input.ts";

type NewService = ServiceInput & { id: string };

const serviceRow = (service: NewService) => ({
  ...service,
  service_definition: service.service_definition ?? service.name,
});

const bindingRows = ({ id: service_id, bindings = [] }: NewService) =>
  bindings.map((binding) => ({ ...binding, id: binding.id ?? uuidV7(), service_id }));

const located = ({ id, host_id, virtualization }: NewService) => ({ id, host_id, virtualization });

/** A service refers to something that does not exist for the caller. */
export const foreignReferences = (sent: readonly NewService[], pathOf: PathOf): Guard[] => [
  ...missingHosts(sent, pathOf),
  ...missingVirtualizationServices(
    sent.map((service, position) => ({ ...located(service), path: pathOf(position) })),
    { sent: sent.map(located), replacedHosts: [] },
  ),
  ...strangeToHosts(
    sent.map(({ host_id, bindings = [] }, position) => ({
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
    sent.map(({ id }) => id),
    sent.flatMap(({ bindings = [] }, position) =>
      bindings.flatMap(({ id }, at) =>
        id === undefined ? [] : [{ id, field: `${pathOf(position)}bindings[${at}].id` }],
      ),
    ),
  ),
  ...missingReferences(
    "Tag",
    sent.flatMap((service, position) =>
      service.tags.map((id) => ({ id, field: `${pathOf(position)}tags` })),
    ),
  ),
];

/** Creates services with their bindings. */
export const insertServices = (database: Database, sent: readonly NewService[]) => [
  insertRows(database, serviceTable, sent.map(serviceRow)),
  insertRows(database, bindingTable, sent.flatMap(bindingRows)),
  addMembers(
    database,
    serviceTags,
    sent.flatMap(({ id, tags: members }) => members.map((member) => ({ owner: id, member }))),
  ),
];

/** Replaces a locked service; bindings that were sent become exactly its bindings. */
export const replaceService = (database: Database, service: NewService) => [
  updateRow(database, serviceTable, serviceRow(service)),
  replaceMembers(database, serviceTags, service.id, service.tags),
  ...(service.bindings ? syncRows(database, bindingTable, [service.id], bindingRows(service)) : []),
];

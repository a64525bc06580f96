import { lists } from "../../http/list/list.ts";
import { strangeAddresses } from "../guards/binding-references.ts";
import { missingHosts } from "../guards/missing-parents.ts";
import { interfaceKey, interfaceTaken, placedRows } from "../guards/natural-keys.ts";
import { partRoutes } from "../part-routes.ts";
import { insertRows, updateRow } from "../writes/child-rows.ts";
import { interfaceTable } from "../writes/child-tables.ts";
import { interfaceFilters } from "./filters.ts";
import { interfaceInput } from "./input.ts";
import { interfaceResource } from "./model.ts";

/** GET /api/v1/interfaces: lists the interfaces of hosts, live or at an instant. */
export const list = lists(interfaceResource, interfaceFilters);

/** The other operations on /api/v1/interfaces. */
export const { read, create, createMany, update, patch, patchMany, deleteOne, deleteMany } =
  partRoutes(interfaceResource, {
    table: interfaceTable,
    body: interfaceInput,
    errors: ["entity_reference_invalid", "entity_already_exists"],
    naturalKey: interfaceKey,
    guards: (records, pathOf) => [
      ...missingHosts(records, pathOf),
      ...strangeAddresses(records, pathOf),
      ...interfaceTaken(placedRows(records, pathOf)),
    ],
    insert: (database, records) => [insertRows(database, interfaceTable, records)],
    replace: (database, one) => [updateRow(database, interfaceTable, one)],
  });

import { strangeToService } from "../guards/binding-references.ts";
import { missingServices } from "../guards/missing-parents.ts";
import { partRoutes } from "../part-routes.ts";
import { insertRows, updateRow } from "../writes/child-rows.ts";
import { bindingTable } from "../writes/child-tables.ts";
import { bindingInput } from "./input.ts";
import { bindingResource } from "./model.ts";
import { deleteReplaced } from "./replaced.ts";

/** The verbs of /api/v1/bindings, but its list. */
export const { read, create, createMany, update, patch, deleteOne, deleteMany } = partRoutes(
  bindingResource,
  {
    table: bindingTable,
    body: bindingInput,
    errors: ["entity_reference_invalid", "binding_conflict"],
    guards: (sent, pathOf) => [
      ...missingServices(sent, pathOf),
      ...strangeToService(
        sent.map((binding, position) => ({ ...binding, path: pathOf(position) })),
      ),
    ],
    insert: (database, sent) => [
      deleteReplaced(database, sent),
      insertRows(database, bindingTable, sent),
    ],
    replace: (database, binding) => [
      deleteReplaced(database, [binding]),
      updateRow(database, bindingTable, binding),
    ],
  },
);

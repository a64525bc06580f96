import { type CreateOptions, createMany, createOne } from "../../http/verbs/create.ts";
import { strangeToService } from "../binding-references.ts";
import { missingServices } from "../host-reference.ts";
import { insertRows } from "../rows.ts";
import { bindingTable } from "../tables.ts";
import { violations } from "../violations.ts";
import { bindingInput } from "./input.ts";
import { bindingResource } from "./model.ts";
import { deleteReplaced } from "./replaced.ts";

const options: CreateOptions<typeof bindingInput, "entity_reference_invalid" | "binding_conflict"> =
  {
    role: "Member",
    scope: "networks",
    body: bindingInput,
    errors: ["entity_reference_invalid", "binding_conflict"],
    violations,
    create: (_, sent, pathOf) => ({
      guards: [
        ...missingServices(sent, pathOf),
        ...strangeToService(
          sent.map((binding, position) => ({ ...binding, path: pathOf(position) })),
        ),
      ],
      write: (database) => [
        deleteReplaced(database, sent),
        insertRows(database, bindingTable, sent),
      ],
    }),
  };

/** POST /api/v1/bindings: creates one. */
export const createBinding = createOne(bindingResource, options);

/** POST /api/v1/bindings/bulk: creates 1 to 100, all or nothing. */
export const createBindings = createMany(bindingResource, options);

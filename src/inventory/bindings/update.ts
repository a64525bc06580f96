import { update } from "../../http/verbs/update.ts";
import { strangeToService } from "../binding-references.ts";
import { missingServices } from "../host-reference.ts";
import { otherOwner } from "../owner.ts";
import { updateRow } from "../rows.ts";
import { bindingTable } from "../tables.ts";
import { violations } from "../violations.ts";
import { bindingInput } from "./input.ts";
import { bindingResource } from "./model.ts";
import { deleteReplaced } from "./replaced.ts";

/** PUT /api/v1/bindings/{id}: replaces one as a whole. */
export const updateBinding = update(bindingResource, {
  role: "Member",
  scope: "networks",
  body: bindingInput,
  errors: ["entity_reference_invalid", "binding_conflict"],
  violations,
  update: (_, id, sent) => {
    const record = { ...sent, id };
    return {
      guards: [
        otherOwner("bindings", "service_id", id, record.service_id),
        ...missingServices([record], () => "body."),
        ...strangeToService([{ ...record, path: "body." }]),
      ],
      write: (database) => [
        deleteReplaced(database, [record]),
        updateRow(database, bindingTable, record),
      ],
    };
  },
});

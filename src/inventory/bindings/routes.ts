import { bindings } from "../../database/tables/index.ts";
import { creates } from "../../http/verbs/create.ts";
import { deletes } from "../../http/verbs/delete.ts";
import { reads } from "../../http/verbs/read.ts";
import { updates } from "../../http/verbs/update.ts";
import { strangeToService } from "../guards/binding-references.ts";
import { missingServices } from "../guards/missing-parents.ts";
import { otherOwner } from "../guards/other-owner.ts";
import { insertRows, updateRow } from "../writes/child-rows.ts";
import { bindingTable } from "../writes/child-tables.ts";
import { violations } from "../writes/violations.ts";
import { bindingInput } from "./input.ts";
import { bindingResource } from "./model.ts";
import { deleteReplaced } from "./replaced.ts";

/** GET /api/v1/bindings/{id}: one, live. */
export const read = reads(bindingResource);

/**
 * POST /api/v1/bindings: creates one.
 * POST /api/v1/bindings/bulk: creates 1 to 100, all or nothing.
 */
export const [create, createMany] = creates(bindingResource, {
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
    write: (database) => [deleteReplaced(database, sent), insertRows(database, bindingTable, sent)],
  }),
});

/**
 * PUT /api/v1/bindings/{id}: replaces one as a whole.
 * PATCH /api/v1/bindings/{id}: changes the fields that are sent.
 */
export const [update, patch] = updates(bindingResource, {
  role: "Member",
  scope: "networks",
  body: bindingInput,
  errors: ["entity_reference_invalid", "binding_conflict"],
  violations,
  update: (_, id, sent) => {
    const record = { ...sent, id };
    return {
      guards: [
        otherOwner(bindings, "service_id", id, record.service_id),
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

/**
 * DELETE /api/v1/bindings/{id}: ends one; history stays.
 * POST /api/v1/bindings/bulk-delete: ends up to 1,000, all or nothing.
 */
export const [deleteOne, deleteMany] = deletes(bindingResource, {
  role: "Member",
  scope: "networks",
  errors: [],
});

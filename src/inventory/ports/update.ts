import { update } from "../../http/verbs/update.ts";
import { missingHosts } from "../host-reference.ts";
import { portTaken } from "../natural-keys.ts";
import { otherOwner } from "../owner.ts";
import { updateRow } from "../rows.ts";
import { portTable } from "../tables.ts";
import { violations } from "../violations.ts";
import { portInput } from "./input.ts";
import { portResource } from "./model.ts";

/** PUT /api/v1/ports/{id}: replaces one as a whole. */
export const updatePort = update(portResource, {
  role: "Member",
  scope: "networks",
  body: portInput,
  errors: ["entity_reference_invalid", "entity_already_exists"],
  violations,
  update: (_, id, sent) => {
    const record = { ...sent, id };
    return {
      guards: [
        otherOwner("ports", "host_id", id, record.host_id),
        ...missingHosts([record], () => "body."),
        ...portTaken([{ row: record, path: "body." }]),
      ],
      write: (database) => [updateRow(database, portTable, record)],
    };
  },
});

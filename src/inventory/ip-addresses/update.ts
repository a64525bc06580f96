import { update } from "../../http/verbs/update.ts";
import { addressRow } from "../address-row.ts";
import { missingHosts, missingSubnets } from "../host-reference.ts";
import { addressTaken } from "../natural-keys.ts";
import { otherOwner } from "../owner.ts";
import { updateRow } from "../rows.ts";
import { strangeSubnets } from "../strange-subnets.ts";
import { addressTable } from "../tables.ts";
import { violations } from "../violations.ts";
import { ipAddressInput } from "./input.ts";
import { ipAddressResource } from "./model.ts";

/** PUT /api/v1/ip-addresses/{id}: replaces one as a whole. */
export const updateIPAddress = update(ipAddressResource, {
  role: "Member",
  scope: "networks",
  body: ipAddressInput,
  errors: ["entity_reference_invalid", "entity_already_exists"],
  violations,
  update: (_, id, sent) => {
    const record = { ...sent, id };
    const row = addressRow(record);
    return {
      guards: [
        otherOwner("ip_addresses", "host_id", id, record.host_id),
        ...missingHosts([record], () => "body."),
        ...missingSubnets([record], () => "body."),
        ...strangeSubnets([{ row, path: "body." }]),
        ...addressTaken([{ row, path: "body." }]),
      ],
      write: (database) => [updateRow(database, addressTable, row)],
    };
  },
});

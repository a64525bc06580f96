import { update } from "../../http/verbs/update.ts";
import { otherOwner } from "../owner.ts";
import { violations } from "../violations.ts";
import { subnetInput } from "./input.ts";
import { subnetResource } from "./model.ts";
import { blockTaken, foreignReferences, replaceSubnet } from "./sql.ts";

/** PUT /api/v1/subnets/{id}: replaces a subnet as a whole. */
export const updateSubnet = update(subnetResource, {
  role: "Member",
  scope: "networks",
  body: subnetInput,
  errors: ["entity_reference_invalid", "entity_already_exists", "entity_in_use"],
  violations,
  update: (_, id, subnet) => ({
    guards: [
      otherOwner("subnets", "network_id", id, subnet.network_id),
      ...foreignReferences([subnet], () => "body."),
      blockTaken([{ ...subnet, id }], () => "body."),
    ],
    write: (database) => replaceSubnet(database, { ...subnet, id }),
  }),
});

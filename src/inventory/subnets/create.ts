import { type CreateOptions, createMany, createOne } from "../../http/verbs/create.ts";
import { violations } from "../violations.ts";
import { subnetInput } from "./input.ts";
import { subnetResource } from "./model.ts";
import { blocksRepeated, blockTaken, foreignReferences, insertSubnets } from "./sql.ts";

const options: CreateOptions<typeof subnetInput, "entity_reference_invalid"> = {
  role: "Member",
  scope: "networks",
  body: subnetInput,
  errors: ["entity_reference_invalid"],
  violations,
  create: (_, sent, pathOf) => ({
    guards: [
      ...foreignReferences(sent, pathOf),
      blocksRepeated(sent, pathOf),
      blockTaken(sent, pathOf),
    ],
    write: (database) => insertSubnets(database, sent),
  }),
};

/** POST /api/v1/subnets: creates a subnet. */
export const createSubnet = createOne(subnetResource, options);

/** POST /api/v1/subnets/bulk: creates 1 to 100 subnets, all or nothing. */
export const createSubnets = createMany(subnetResource, options);

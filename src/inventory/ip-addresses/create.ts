import { type CreateOptions, createMany, createOne } from "../../http/verbs/create.ts";
import { addressRow } from "../address-row.ts";
import { missingHosts, missingSubnets } from "../host-reference.ts";
import { addressKey, addressTaken } from "../natural-keys.ts";
import { insertRows } from "../rows.ts";
import { strangeSubnets } from "../strange-subnets.ts";
import { addressTable } from "../tables.ts";
import { violations } from "../violations.ts";
import { ipAddressInput } from "./input.ts";
import { ipAddressResource } from "./model.ts";

const options: CreateOptions<
  typeof ipAddressInput,
  "entity_reference_invalid" | "entity_already_exists"
> = {
  role: "Member",
  scope: "networks",
  body: ipAddressInput,
  errors: ["entity_reference_invalid", "entity_already_exists"],
  violations,
  naturalKey: addressKey,
  create: (_, sent, pathOf) => {
    const rows = sent.map(addressRow);
    const placed = rows.map((row, position) => ({ row, path: pathOf(position) }));
    return {
      guards: [
        ...missingHosts(sent, pathOf),
        ...missingSubnets(sent, pathOf),
        ...strangeSubnets(placed),
        ...addressTaken(placed),
      ],
      write: (database) => [insertRows(database, addressTable, rows)],
    };
  },
};

/** POST /api/v1/ip-addresses: creates one. */
export const createIPAddress = createOne(ipAddressResource, options);

/** POST /api/v1/ip-addresses/bulk: creates 1 to 100, all or nothing. */
export const createIPAddresses = createMany(ipAddressResource, options);

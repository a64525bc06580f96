import { type CreateOptions, createMany, createOne } from "../../http/verbs/create.ts";
import { missingHosts } from "../host-reference.ts";
import { portKey, portTaken } from "../natural-keys.ts";
import { insertRows } from "../rows.ts";
import { portTable } from "../tables.ts";
import { violations } from "../violations.ts";
import { portInput } from "./input.ts";
import { portResource } from "./model.ts";

const options: CreateOptions<
  typeof portInput,
  "entity_reference_invalid" | "entity_already_exists"
> = {
  role: "Member",
  scope: "networks",
  body: portInput,
  errors: ["entity_reference_invalid", "entity_already_exists"],
  violations,
  naturalKey: portKey,
  create: (_, sent, pathOf) => ({
    guards: [
      ...missingHosts(sent, pathOf),
      ...portTaken(sent.map((row, position) => ({ row, path: pathOf(position) }))),
    ],
    write: (database) => [insertRows(database, portTable, sent)],
  }),
};

/** POST /api/v1/ports: creates one. */
export const createPort = createOne(portResource, options);

/** POST /api/v1/ports/bulk: creates 1 to 100, all or nothing. */
export const createPorts = createMany(portResource, options);

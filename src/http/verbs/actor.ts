import * as z from "zod";
import { actorTypes } from "../../database/tables/index.ts";
import { id } from "../input/id.ts";

/** Who made a change, as they were named then (API contract, section 11). */
export const actorSchema = z
  .object({
    type: z.enum(actorTypes),
    id: id.nullable(),
    name: z.string().max(100).nullable(),
  })
  .meta({
    id: "Actor",
    description:
      "Who made the change, as it was named then: a key, a daemon, the key that sent an import, or the service itself.",
  });

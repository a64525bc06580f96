import * as z from "zod";
import { actorTypes, maximumSubject } from "../../database/tables/index.ts";
import { id } from "../input/id.ts";

/** The actor that made a change, with its name at that time (API contract, section 11). */
export const actorSchema = z
  .object({
    type: z.enum(actorTypes),
    id: id.nullable(),
    name: z.string().max(maximumSubject).nullable(),
  })
  .meta({
    id: "Actor",
    description:
      "The actor of the change, with its name at that time: a key, a token (the id of its key, and its subject as the name), a daemon, the key or token that sent an import, an operator key, or the service itself.",
  });

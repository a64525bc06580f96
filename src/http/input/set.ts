import * as z from "zod";
import { setMaximum } from "../../database/sets.ts";
import { eachOnce } from "./each-once.ts";
import { id } from "./id.ts";

/**
 * A set: at most 1,000 members, none twice.
 * @param keyOf what makes two members the same
 * @param keyName the name of that within a member, for the path of the issue
 */
export const setOf = <Member extends z.ZodType>(
  member: Member,
  keyOf: (value: z.output<Member>) => string,
  keyName?: string,
) =>
  z
    .array(member)
    .max(setMaximum, { error: `must have at most ${setMaximum} members` })
    .check(
      eachOnce<z.output<Member>>({
        of: keyOf,
        field: keyName,
        message: "is in the set already: send every member once",
      }),
    )
    .meta({ uniqueItems: true });

/** A set of ids. */
export const idSet = setOf(id, (member) => member);

/** The ids of a set in a response. */
export const sortedIds = (description: string) =>
  z
    .array(id)
    .max(setMaximum)
    .meta({ uniqueItems: true, description: `${description} Sorted.` });

import * as z from "zod";
import { setMaximum } from "../../database/sets.ts";
import { eachOnce } from "./each-once.ts";
import { id } from "./id.ts";

/**
 * A set: at most 1,000 members without duplicates.
 * @param keyOf the key that identifies a member
 * @param keyName the field with the key, for the path
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
        message: "is already in the set: send every member once",
      }),
    )
    .meta({ uniqueItems: true });

/** An array of up to 1,000 unique ids. */
export const idSet = setOf(id, (member) => member);

/** The ids of a set in a response. */
export const sortedIds = (description: string) =>
  z
    .array(id)
    .max(setMaximum)
    .meta({ uniqueItems: true, description: `${description} Sorted.` });

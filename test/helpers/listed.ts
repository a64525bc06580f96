import * as z from "zod";

const list = z.object({ data: z.array(z.looseObject({ id: z.string() })) });

/** The records of a list's body. */
export const listed = (body: unknown) => list.parse(body).data;

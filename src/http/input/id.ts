import * as z from "zod";
import { once } from "./once.ts";

/** A UUID of any version, in either case; lower case from here on. */
export const id = z
  .guid(once("must be a UUID such as 3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11"))
  .toLowerCase();

/** What many clients write where there is no id (RFC 9562, section 5.9). */
const nilId = "00000000-0000-0000-0000-000000000000";

/** The id that a caller gives to a new record, if any. The nil UUID is none (API contract, section 7). */
export const ownId = id.transform((value) => (value === nilId ? undefined : value)).optional();

/** An id, of which the nil UUID is null. */
export const idExceptNil = id.transform((value) => (value === nilId ? null : value));

/** A reference to a record, or to none: null, or the nil UUID (API contract, section 7). */
export const idOrNone = idExceptNil.nullable();

/** The path of one record. */
export const recordPath = z.object({ id });

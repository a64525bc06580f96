import * as z from "zod";
import { once } from "./once.ts";

/** A UUID of any version. Converted to lower case. */
export const id = z
  .guid(once("must be a UUID such as 3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11"))
  .toLowerCase();

/** The nil UUID (RFC 9562, section 5.9), which many clients send for an absent id. */
const nilId = "00000000-0000-0000-0000-000000000000";

/**
 * The id that the caller chooses for a new record, if any. The nil UUID counts as absent (API
 * contract, section 7).
 */
export const ownId = id.transform((value) => (value === nilId ? undefined : value)).optional();

/** An id; the nil UUID becomes null. */
export const idExceptNil = id.transform((value) => (value === nilId ? null : value));

/** An optional reference. The nil UUID becomes null (API contract, section 7). */
export const idOrNone = idExceptNil.nullable();

/** The path of one record. */
export const recordPath = z.object({ id });

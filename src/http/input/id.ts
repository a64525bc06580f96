import * as z from "zod";
import { once } from "./once.ts";

/** A UUID of any version, in either case; lower case from here on. */
export const id = z
  .guid(once("must be a UUID such as 3f2c8a34-5b1e-4c0d-9a77-2d1f6f0b8e11"))
  .toLowerCase();

/** The path of one record. */
export const recordPath = z.object({ id });

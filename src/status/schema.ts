import * as z from "zod";
import { annotations } from "../http/openapi/describe.ts";

export { metaSchema } from "../http/openapi/envelope.ts";

/** What health and readiness answer. */
export const statusSchema = z
  .object({ status: z.literal("ok") })
  .register(annotations, { id: "Status", description: "All is well." });

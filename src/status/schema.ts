import * as z from "zod";
import { annotations } from "../http/openapi/describe.ts";

export { exampleMeta, metaSchema } from "../http/openapi/envelope.ts";

/** What health responds with: the name of the service and its version. */
export const healthSchema = z.string().max(100);

/** What readiness responds with. */
export const statusSchema = z
  .object({ status: z.literal("ok") })
  .register(annotations, { id: "Status", description: "All is well." });
